/* Flexible, zero-length and variable-length arrays, alloca in loops, empty structs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>
struct F { int n; short tag; char data[]; };
struct Z { int n; int z[0]; };
struct E {}; 
static struct E ef(struct E e){ return e; }
struct Inner { double d; int k[]; };
static struct F sf = { 3, 1, "abc" };
static int vla(int n){ struct P { int a; double b; char c[3]; } v[n], w[n+1]; for(int i=0;i<n;i++){ v[i].a=i; v[i].b=i*0.5; v[i].c[1]=i; w[i]=v[i]; } w[n]=v[n-1]; int s=0; for(int i=0;i<=n;i++) s=s*3+w[i].a+(int)w[i].b+w[i].c[1]+(int)sizeof v; return s; }
static int loopalloca(int n){ char *prev=0; int s=0; for(int i=1;i<=n;i++){ char *p=alloca(i*5); memset(p,i,i*5); if(prev) s+=prev[0]*p[i]; prev=p; } char *q=alloca(0); s += q!=0; return s; }
static int vla2(int n){ int s=0; for(int i=1;i<n;i++){ int a[i][i+1]; for(int j=0;j<i;j++) for(int k=0;k<=i;k++) a[j][k]=j*k+i; s+=a[i-1][i]; if (i==4) continue; if(i==6) break; int *p=&a[0][0]; s+=p[i]; } return s; }
int main(void){ struct F *f=malloc(sizeof *f+20); f->n=20; for(int i=0;i<20;i++) f->data[i]=i*i; struct F *g=malloc(sizeof *g+20); memcpy(g,f,sizeof *f+20); g->data[19]++; 
 struct Z *z=malloc(sizeof(struct Z)+4*5); z->n=5; for(int i=0;i<5;i++) z->z[i]=i; struct Inner *in=malloc(sizeof *in+12); in->k[2]=4; in->d=in->k[2]; struct E e,e2; e2=ef(e);
 int s=0; for(int i=0;i<20;i++) s=s*5+g->data[i]; printf("%d %d %d %d %d %s %d %f\n", s, z->z[4], vla(5), loopalloca(8), vla2(9), sf.data, (int)sizeof e2, in->d); free(f);free(g);free(z);free(in); return 0; }
