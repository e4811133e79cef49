/* Signals that come at any time. */
#include <stdio.h>
#include <signal.h>
#include <sys/time.h>
static volatile int ticks; static void h(int s){ ticks++; }
int main(void){ signal(SIGALRM,h); struct itimerval t={{0,2000},{0,2000}}; setitimer(ITIMER_REAL,&t,0); volatile long n=0; while(ticks<3 && n < 5000000) n++; printf("%d\n", ticks>=3); return 0; }
