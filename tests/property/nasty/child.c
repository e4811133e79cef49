/* A child process. */
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
int main(void){ int x=1; fflush(stdout); pid_t p=fork(); if(p==0){ x=5; for(int i=0;i<3000;i++) x+=i; _exit(x&7); } int st; waitpid(p,&st,0); printf("%d %d\n",x,WEXITSTATUS(st)); return 0; }
