/* 128-bit integers: arithmetic, struct members, varargs, conversions. */
#include <stdio.h>
typedef __int128 i128; typedef unsigned __int128 u128;
static u128 g = ((u128)0x123456789abcdefULL<<64)|0xfedcba9876543210ULL;
static u128 mul(u128 a, u128 b){ return a*b; }
static i128 sd(i128 a, i128 b){ return a/b; }
static i128 sr(i128 a, i128 b){ return a%b; }
struct S { char c; u128 v; };
static struct S f(struct S s){ s.v ^= g; s.c++; return s; }
static void p(const char *n, u128 v){ printf("%s %016llx%016llx\n", n, (unsigned long long)(v>>64),(unsigned long long)v); }
#include <stdarg.h>
static u128 va(int n, ...){ va_list ap; va_start(ap,n); u128 s=0; while(n--) { s = s*3 + va_arg(ap,u128); } va_end(ap); return s; }
int main(void){
  u128 a[4]; for (int i=0;i<4;i++) a[i] = g*(u128)(i*0x9e3779b97f4a7c15ULL+1);
  p("mul",mul(a[1],a[2])); p("udiv",a[3]/ (a[1]>>70)); p("urem", a[3]%a[1]);
  p("sdiv",sd(-(i128)(a[3]>>1), (i128)(a[1]>>66))); p("srem",sr(-(i128)(a[3]>>1), 12345));
  p("shl",a[1]<<(a[2]&127)); p("ashr",(i128)a[3]>>77); p("neg", -a[2]);
  struct S s = {1, a[2]}; s = f(f(s)); p("s",s.v);
  p("va", va(3,a[0],a[1],a[2]));
  double d = (double)a[3]; float fl=(float)(i128)-(i128)(a[1]>>3); long double ld=(long double)a[2];
  printf("%a %a %La\n", d, (double)fl, ld); p("fromd",(u128)d); p("froml",(u128)ld); p("fromf",(i128)fl);
  i128 acc=0; for(int i=0;i<10;i++){ acc += i; acc *= -3; if (acc < 0) acc--; } p("acc",acc);
  u128 *q=&a[3]; (*q)++; --*q; *q += 5; p("q",*q);
  return (int)(a[3]>a[2]); }
