/* A sorted array is changed and sorted again. */
#include <stdlib.h>
static int cmp(const void*a,const void*b){ char x=*(const char*)a,y=*(const char*)b; return (x>y)-(x<y); }
int main(void){ char a[4]={4,3,2,1}; qsort(a,4,1,cmp); a[1]=9; qsort(a,4,1,cmp); return a[0]; }
