/* Signals that the program raises. */
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t n; static int data[4];
static void h(int s){ n++; data[n&3]+=s==SIGUSR1; }
static void act(int s, siginfo_t *i, void *c){ n+=10; data[0]++; }
int main(void){ signal(SIGUSR1,h); for(int i=0;i<5;i++) raise(SIGUSR1); struct sigaction a={0}; a.sa_sigaction=act; a.sa_flags=SA_SIGINFO; sigaction(SIGUSR2,&a,0); kill(getpid(),SIGUSR2); raise(SIGUSR2); signal(SIGUSR1,SIG_IGN); raise(SIGUSR1); printf("%d %d\n",(int)n,data[0]+data[1]+data[2]+data[3]); return 0; }
