/* Calls of every sort: many arguments, structs, pointers, weak, thread-local, main, 50,000 frames. */
#include <stdio.h>
#include <stdlib.h>
struct S { int a[7]; double d; }; struct T { float x,y; }; struct U { char c[3]; }; struct V { double d; int i; }; struct W { long double l; };
static struct S ms(int k){ struct S s={{k,k+1,k+2},k*0.5}; return s; }
static struct T mt(int k){ return (struct T){k,k*2}; } static struct U mu(int k){ return (struct U){{k,k+1,k+2}}; }
static struct V mv(int k){ return (struct V){k*1.5,k}; } static struct W mw(int k){ return (struct W){k+0.25L}; }
static int many(int a1,int a2,int a3,int a4,int a5,int a6,int a7,int a8,int a9,int a10,int a11,int a12,int a13,int a14,int a15,int a16,int *a17,struct S a18,double a19,struct U a20,int *a21, struct T a22){ *a17+=a1; *a21 = *a17*a16; return a1+a2*2+a3*3+a4+a5+a6+a7+a8+a9+a10+a11+a12+a13+a14+a15*15+a18.a[2]+(int)a19+a20.c[1]+(int)a22.y; }
static int id(int x){ return x+1; }
static int sumv(struct S s, struct T t, struct U u, struct V v, struct W w){ return s.a[1]+(int)t.y+u.c[2]+v.i+(int)w.l; }
typedef struct S (*fs)(int); typedef struct T (*ft)(int);
static fs tab[2]={ms,ms}; 
static int (*pick(int k))(int){ return k? id : (int(*)(int))0; }
static inline int sq(int x){ return x*x; }
__attribute__((weak)) int weakf(int x){ return x*11; }
extern int missing(int) __attribute__((weak));
static _Thread_local int tl=5; static __thread struct S tls;
int other() ; int other(a,b) int a; int b; { return a*10+b; }
int noproto(); static int kr(a) int a; { return a+1; }
int noproto(int x, int y){ return x-y; }
static int rec(int n){ return n? rec(n-1)+1 : 0; }
static int depth; 
int main(int argc, char **argv){ if(depth++<3) return main(argc+1, argv); 
 int x=3,y=0; int r=many(1,2,3,4,5,6,7,8,9,10,11,12,13,14,id(id(id(14))),16,&x,tab[1](4),2.5,mu(5),&y,mt(3));
 struct S s = tab[r&1](9); ft q=mt; struct T t=q(4); tl += s.a[2]; tls=s; tls.a[3]=tl; int *tp=&tls.a[3]; *tp+=1;
 r += sumv(ms(1),mt(2),mu(3),mv(4),mw(5)) + sumv(tls,t,mu(1),mv(2),mw(3)); r+= pick(1)(sq(4)); r += weakf(2) + (missing ? missing(1) : 7);
 r += other(2,3) + noproto(9,4); r += ((int(*)())kr)(5, 6, 7); r+= rec(50000)&7; 
 r += ms(4).a[2] + mv(3).i + (int)mt(2).x; printf("%d %d %d %d\n", r,x,y,argc); return 0; }
