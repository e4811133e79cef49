/* Compiler builtins and the mathematics library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdint.h>
#include <limits.h>
static unsigned long s; static void m(unsigned long v){ s = s*31+v; }
int main(void){
  volatile unsigned u=0x12345678; volatile unsigned long long q=0x0123456789abcdefULL; volatile int i=-77; volatile double d=2.75, e=-0.0; volatile float f=1.5f; volatile long double l=3.5L;
  m(__builtin_popcount(u)); m(__builtin_clz(u)); m(__builtin_ctzll(q)); m(__builtin_bswap32(u)); m(__builtin_bswap64(q)); m(__builtin_ffs(u)); m(__builtin_parity(u)); m(__builtin_bswap16(u)); m(__builtin_rotateleft32(u,5)); m(__builtin_bitreverse32(u));
  int r; m(__builtin_add_overflow(i,INT_MIN,&r)); m(r); m(__builtin_mul_overflow(i,1<<30,&r)); m(r); unsigned long long ur; m(__builtin_sub_overflow(5ULL,q,&ur)); m(ur); short sr; m(__builtin_add_overflow(i,40000,&sr)); m(sr); m(__builtin_expect(u>3,1)); m(abs(i)); m(labs(i)); m(__builtin_constant_p(3)); m(__builtin_object_size(&r,0));
  m((long)floor(d)); m((long)ceil(e+d)); m((long)trunc(d)); m((long)round(d)); m(lround(d)); m(llrint(d)); m((long)rint(d)); m((long)nearbyint(d)); m(signbit(copysign(d,e))); m((long)(fma(d,d,d)*100)); m((long)fmin(d,1)); m((long)fmax(d,9)); m((long)fmod(d,1.25)); m((long)(1000*sqrt(d))); m((long)(1000*pow(d,2.5))); m((long)(1000*exp(d))); m((long)(1000*log(d))); m((long)(1000*sin(d))); m((long)(100*fabsf(-f))); m((long)(100*sqrtf(f))); m((long)floorl(l)); m((long)(100*powl(l,2))); m((long)(1e4*atan2(d,f))); m(isnan(d/e*e)); m(isinf(d/e)); m(fpclassify(d)); m((long)ldexp(d,4)); int ex; m((long)(1000*frexp(d,&ex))); m(ex); double ip; m((long)(1000*modf(d,&ip))); m((long)ip); m((long)(hypot(3,4))); m((long)cbrt(27)); m(isgreater(d,f)); m(ilogb(d)); m((long)remainder(d,2)); m(lrintf(f)); m((long)(1000*exp2(d))); m((long)(1000*log10(d))); m((long)(fdim(d,1)*8)); m((long)(1000*tanh(d)));
  { struct { int a, b; } t = { .b = 4 }; m(({ int z = t.b; z*z; })); m(_Generic(d, double: 1, float: 2, default: 3)); m(sizeof(int[i<0?3:4])); m((char[]){"abc"}[1]); m(*(int[]){[3]=9,[0]=1}); const char *fn=__func__; m(fn[0]); m(i ?: 5); m(e ? 1 : 2); switch (u) { case 0x12340000 ... 0x1234ffff: m(17); } }
  div_t dv = div(77,5); m(dv.quot*10+dv.rem); ldiv_t lv=ldiv(-77,5); m(lv.rem); lldiv_t lq = lldiv(1LL<<40, 1000003); m(lq.quot);
  char *end; m(strtoull("18446744073709551615",&end,10)); m((long)(strtof("2.5e3x",&end)*2)); m(*end); m(atof("3.25")*100);
  printf("%lx\n", s); return 0; }
