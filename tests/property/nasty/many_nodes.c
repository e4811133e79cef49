/* A long list, a long sort, odd sizes of blocks. */
#include <stdio.h>
#include <stdlib.h>
struct Node { struct Node *next; int v; };
static int depth(struct Node *n){ char pad[200]; pad[0]=n?n->v:0; return n? depth(n->next)+pad[0]%2 : 0; }
static int mc(const void*a,const void*b){ return *(char*)a-*(char*)b; }
int main(void){ struct Node *h=0; for(int i=0;i<3000;i++){ struct Node *n=malloc(sizeof*n); n->next=h; n->v=i; h=n; } int d=depth(h); while(h){ struct Node *n=h->next; free(h); h=n; } static char big[5000]; for(int i=0;i<5000;i++) big[i]=(i*7919)%127; qsort(big,5000,1,mc); void *p=malloc(0); free(p); p=realloc(0,5); p=realloc(p,0)?p:0; char *z=calloc(0,8); free(z); char *a=aligned_alloc(64,128); a[127]=1; free(a); printf("%d %d\n",d,big[2500]); return 0; }
