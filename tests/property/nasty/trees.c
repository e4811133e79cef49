/* Pointers to pointers, unions, swaps through bytes. */
#include <stdio.h>
#include <string.h>
struct N { struct N *l,*r; int k; }; static struct N pool[64]; static int used;
static struct N **find(struct N **p,int k){ while(*p && (*p)->k!=k) p = k<(*p)->k ? &(*p)->l : &(*p)->r; return p; }
static int walk(struct N *n,int d){ return n? walk(n->l,d+1)*3+n->k*d+walk(n->r,d+1) : 1; }
union P { struct { char tag; int v; } a; struct { char tag; double d; } b; char raw[16]; };
static void swap(void *a, void *b, size_t n){ char t[n]; memcpy(t,a,n); memcpy(a,b,n); memcpy(b,t,n); }
int main(void){ struct N *root=0; for(int i=0;i<40;i++){ int k=(i*37)%41; struct N **p=find(&root,k); if(!*p){ *p=&pool[used++]; (*p)->k=k; } } 
 union P p={.a={1,5}}, q; q=p; q.b.d=2.5; p.b=q.b; swap(&p,&q,sizeof p); int *ip=(int*)(p.raw+4); int a2[3][4]; int (*row)[4]=a2; for(int i=0;i<3;i++,row++) for(int j=0;j<4;j++) (*row)[j]=i*j; int *flat=&a2[0][0]; int s=0; for(int i=0;i<3;i++) for(int j=0;j<4;j++) s+=a2[i][j]; swap(&a2[0],&a2[2],sizeof a2[0]);
 char *names[]={"a","bb","ccc"}; char **np=names; char *t=*np++; swap(&names[0],&names[2],sizeof *names); printf("%d %d %f %d %s%s %c\n",walk(root,1),s,p.b.d,a2[0][3],names[0],names[2],*t); return 0; }
