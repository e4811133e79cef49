/* A handler of a fault ends the program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void h(int s){ printf("caught %d\n", s); exit(3); }
static int f(int *p, int k){ int t = k*2; return *p + t; }
int main(void){ signal(SIGSEGV,h); return f((int*)0, 4); }
