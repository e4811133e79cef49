/* Long doubles in arrays, structs and recursion. */
#include <stdio.h>
#include <math.h>
static long double g[5]={1.5L,2.25L,-3,1e4000L,0};
struct L { char c; long double v[2]; short s; };
static struct L f(struct L l, long double k){ l.v[0]*=k; l.v[1]/=k; l.s++; return l; }
static long double h(int n, long double x){ return n? h(n-1,x*1.0000001L+g[n%5]) : x; }
int main(void){ long double a[6]; for(int i=0;i<6;i++) a[i]=g[i%5]*(i+1)-0.1L; struct L l={1,{a[1],a[2]},7}; l=f(f(l,3),7.7L); struct L arr[2]={l,l}; arr[1].v[1]+=a[5];
 long double *p=a+2; p[1]-=*p++; long double s=0; for(int i=0;i<6;i++) s = a[i] > s ? a[i] : s + a[i]/3; 
 printf("%La %La %La %La %d %Lf\n", l.v[0],l.v[1],arr[1].v[1],s,l.s,h(20,0.5L)); printf("%d %llu %Lf %d %d\n",(int)a[1],(unsigned long long)(a[1]+9e18L), sqrtl(fabsl(a[2])), isnan(a[0]), a[1]!=a[2]);
 float fl=(float)a[1]; double d=(double)a[2]; a[0]=fl; a[1]=d; a[2]=(long double)0xffffffffffffffffULL; a[3]=(long double)(-5LL); int x = a[0]; printf("%a %a %La %La %d\n",fl,d,a[2],a[3],x); return 0; }
