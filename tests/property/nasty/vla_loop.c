/* A variable-length array in a long loop. */
#include <stdio.h>
#include <stdarg.h>
static int sum(int n, ...){ va_list a; va_start(a,n); int s=0; while(n--) s+=va_arg(a,int); va_end(a); return s; }
int main(void){ long s=0; for(int i=0;i<8000;i++){ int a[i%7+1]; for(int j=0;j<=i%7;j++) a[j]=j+i; s+=a[i%7]; if(i%1000==0) s+=sum(9,1,2,3,4,5,6,7,8,a[0]); } printf("%ld\n",s); return 0; }
