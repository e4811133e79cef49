/* qsort inside the comparison of qsort. */
#include <stdlib.h>
#include <stdio.h>
static int cmpi(const void*a,const void*b){ int x=*(const int*)a,y=*(const int*)b; return (x>y)-(x<y); }
static int inner(void){ int t[3]={3,1,2}; qsort(t,3,sizeof(int),cmpi); return t[0]; }
static int cmprec(const void*a,const void*b){ return cmpi(a,b)+ 0*inner(); }
int main(void){ int r = inner(); int a[4]={4,3,2,1}; qsort(a,4,sizeof*a,cmprec); return a[0]+r; }
