/* exit inside a comparison, with an exit handler. */
#include <stdio.h>
#include <stdlib.h>
static int n; static int cmp(const void*a,const void*b){ if(++n==9){ printf("leaving\n"); exit(42);} return *(const int*)a-*(const int*)b; }
static void bye(void){ printf("bye %d\n", n); }
int main(void){ int a[10]={9,8,7,6,5,4,3,2,1,0}; atexit(bye); qsort(a,10,sizeof*a,cmp); return 1; }
