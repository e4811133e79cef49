/* Library functions through pointers, structs returned through pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct V { double x, y; int n; }; struct Ops { struct V (*add)(struct V, struct V); const char *(*name)(void); long double (*ld)(long double); struct Ops *next; };
static struct V add(struct V a, struct V b){ return (struct V){a.x+b.x,a.y+b.y,a.n+b.n}; } static struct V sub(struct V a, struct V b){ a.x-=b.x; return a; }
static const char *nm(void){ return "nm"; } static long double ld(long double x){ return x*2; }
static size_t (*volatile len)(const char*) = strlen; static void *(*volatile cp)(void*,const void*,size_t) = memcpy; static int (*volatile pr)(const char*,...) = printf; static void (*volatile fr)(void*) = free; static void *(*volatile ml)(size_t)=malloc;
typedef int (*F)(int); static F compose[4]; static int inc(int x){ return x+1; } static int dbl(int x){ return x*2; }
static F choose(int k, F a, F b){ return k ? a : b; }
int main(void){ struct Ops o2={sub,nm,ld,0}, o={add,nm,ld,&o2}; struct V v={1,2,3}; for(struct Ops *p=&o;p;p=p->next) v=p->add(v,p->add(v,v)); char b[10]; cp(b,"hello",6); char *h=ml(20); cp(h,b,6); h[0]='J'; pr("%s %zu %f %d %Lf %s\n",h,len(h),v.x,v.n,o.ld(1.25L),o.next->name()); fr(h);
 compose[0]=inc; compose[1]=dbl; compose[2]=choose(1,inc,dbl); compose[3]=choose(0,compose[0],compose[1]); int x=1; for(int i=0;i<16;i++) x=compose[i&3](x)%1000; pr("%d %d\n",x,compose[2]==inc); void *raw=(void*)inc; x=((F)raw)(4); return x; }
