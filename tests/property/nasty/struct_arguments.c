/* Struct arguments beyond the sixteenth, in callbacks, from freed blocks. */
#include <stdio.h>
#include <stdlib.h>
struct B { long a[4]; int *p; };
static int use(int x, int y, struct B b){ b.a[0]+=x; *b.p += 1; return (int)(b.a[0]+b.a[3]+y); }
static int many(int a1,int a2,int a3,int a4,int a5,int a6,int a7,int a8,int a9,int a10,int a11,int a12,int a13,int a14,int a15,int a16,struct B x,struct B y){ x.a[1]=y.a[1]; return x.a[1]+y.a[0]+*y.p; }
static int cmp(const void*a,const void*b){ int k=0; struct B s={{1,2,3,4},&k}; int u=use(1,2,s); return *(const int*)a-*(const int*)b+(u!=u); }
static int freed(void){ struct B *h=malloc(1<<20); h->a[0]=1;h->a[1]=2;h->a[2]=3;h->a[3]=4; int z=0; h->p=&z; int r=many(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,*h,*h); free(h); return r; }
int main(void){ int arr[5]={5,4,3,2,1}; qsort(arr,5,sizeof*arr,cmp); int k=3; struct B s={{1,2,3,4},&k}; int r=use(5,6,s)+many(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,s,s)+freed()+freed(); printf("%d %d %d\n",r,k,arr[0]); return 0; }
