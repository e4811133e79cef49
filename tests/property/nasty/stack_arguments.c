/* Variadic arguments on the stack, where a dead frame was. */
#include <stdio.h>
#include <stdarg.h>
static int f(int n, ...){ va_list ap; va_start(ap,n); int r=0; while(n--) if(va_arg(ap,int)>1) r++; va_end(ap); return r; }
static int below(void){ volatile int x[64]; for (int i=0;i<64;i++) x[i]=0; return x[3]; }
int main(void){ below(); printf("%d\n", f(9,1,2,3,4,5,6,7,8,9)); return 0; }
