/* setjmp in loops, longjmp out of qsort, out of signal handlers and over frames. */
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <signal.h>
static jmp_buf a, b; static int depth;
static void deep(int n, int v){ int loc[4]={n,v,n+v,1}; if(n==0) longjmp(a, v); deep(n-1, v+loc[3]); depth += loc[0]; }
static int cmp(const void *x, const void *y){ if(depth++ == 7) longjmp(b, 5); return *(const int*)x - *(const int*)y; }
static void onsig(int s){ longjmp(a, 40 + s - SIGUSR1); }
static sigjmp_buf sb;
static void onfpe(int s){ siglongjmp(sb, 3); }
int main(void){ volatile int i, sum=0; for(i=0;i<5;i++){ int r=setjmp(a); volatile int loc = i*2; if(r==0) deep(i+2, i+1); sum = sum*3 + r + loc; }
 int arr[12]; for(int k=0;k<12;k++) arr[k]=(k*7)%12; depth=0; int r=setjmp(b); if(!r) qsort(arr,12,sizeof *arr,cmp); sum = sum*3+r+depth;
 for(i=0;i<3;i++){ signal(SIGUSR1,onsig); int q=setjmp(a); if(!q) raise(SIGUSR1); sum=sum*5+q; sigset_t s; sigemptyset(&s); sigaddset(&s,SIGUSR1); sigprocmask(SIG_UNBLOCK,&s,0);}
 signal(SIGSEGV,onfpe); for (i=0;i<3;i++) { volatile int *volatile np = 0; if (!sigsetjmp(sb,1)) { *np = 3; } else sum += 7; }
 jmp_buf copy; int n=0; volatile int m=0; if (setjmp(copy) < 3) { m++; longjmp(copy, m); } sum += m;
 printf("%d %d\n", sum, depth); return 0; }
