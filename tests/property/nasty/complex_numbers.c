/* Complex float and long double. */
#include <stdio.h>
#include <complex.h>
int main(void){ float complex a=1+2*I,b=3-I; float complex q=a/b; printf("%f\n",crealf(q)); long double complex l=a; l=l/(1+2*I); printf("%Lf\n",creall(l)); return 0; }
