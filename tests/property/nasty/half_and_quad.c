/* Half and quadruple precision. */
#include <stdio.h>
static _Float16 h(_Float16 a, float b){ return a*b + (_Float16)0.1; }
static __float128 q(__float128 a, double b){ return a/b + 1; }
int main(void){ _Float16 x=1.5, arr[3]={1,2,3}; for(int i=0;i<3;i++) arr[i]=h(arr[i],x); __float128 y=2; y=q(y,3); int c = y > 1.6; arr[1] += 2; printf("%f %f %d %d\n",(double)arr[2],(double)arr[1],(int)(y*1000),c); return 0; }
