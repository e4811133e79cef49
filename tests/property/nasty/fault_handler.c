/* The program handles its own fault: the recording ends there, the run goes on. */
#include <stdio.h>
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf sb;
static void onfpe(int s){ siglongjmp(sb, 3); }
int main(void){ volatile int sum=0; volatile int i; 
 signal(SIGSEGV,onfpe); for (i=0;i<3;i++) { volatile int *volatile np = 0; if (!sigsetjmp(sb,1)) { *np = 3; } else sum += 7; }
 printf("%d\n", sum); return 0; }
