/* Tries one thing, named by the first argument, that a run must not do, or that it does without end. The folder has old.txt. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*function)();
static function unhooked(const char *name) { return (function)dlsym(RTLD_DEFAULT, name); } /* as code in a library would call it */

int main(int argc, char **argv) {
  const char *what = argv[1];
#define CASE(name) if (!strcmp(what, name))
  CASE("system") printf("%d\n", system("touch evil") == 0);
  CASE("popen") printf("%d\n", popen("touch evil", "r") != 0);
  CASE("fork") {
    pid_t child = fork();
    if (!child) creat("evil", 0600), _exit(0);
    printf("%d\n", child > 0);
  }
  CASE("exec") execl("/bin/touch", "touch", "evil", (char *)0), execlp("touch", "touch", "evil", (char *)0), puts("0");
  CASE("parent") printf("%d\n", kill(getppid(), SIGKILL) == 0);
  CASE("others") printf("%d\n", kill(-1, 0) == 0);
  CASE("socket") printf("%d\n", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  CASE("daemon") printf("%d\n", daemon(1, 1) == 0);
  CASE("syscall") printf("%d\n", syscall(SYS_unlink, "old.txt") == 0 || syscall(SYS_getpid) != getpid());
  CASE("fifo") printf("%d\n", mkfifo("evil", 0600) == 0);
  CASE("terminal") {
    int fd = open("/dev/pts/0", O_WRONLY);
    printf("%d\n", fd >= 0);
  }
  CASE("loop") for (;;) ;
  CASE("stubborn") {
    for (int sig = 1; sig < 32; sig++) signal(sig, SIG_IGN);
    setsid();
    for (;;) pause();
  }
  CASE("stopped") raise(SIGSTOP);
  CASE("output") for (;;) puts("on and on");
  CASE("stubborn output") for (signal(SIGXFSZ, SIG_IGN);;) puts("on and on");
  CASE("file") {
    FILE *f = fopen("evil", "w");
    for (;;) fputs("on and on", f);
  }
  CASE("memory") for (char *p; (p = malloc(1 << 20));) memset(p, 1, 1 << 20);
  CASE("stack") return main(argc, argv) + main(argc, argv);
  CASE("fork bomb") for (;;) fork();
  CASE("close all") {
    for (int fd = 0; fd < 2000; fd++) close(fd);
    creat("evil", 0600);
  }
  CASE("nested") for (int i = 0; i < 3000; i++) mkdir("d", 0700), chdir("d");
  CASE("unhooked unlink") printf("%d\n", unhooked("unlink")("old.txt") == 0);
  CASE("unhooked write") printf("%d\n", unhooked("open")("old.txt", O_WRONLY) >= 0 || unhooked("open")("evil", O_CREAT | O_WRONLY, 0600) >= 0);
  CASE("unhooked truncate") printf("%d\n", unhooked("truncate")("old.txt", 0L) == 0);
  CASE("unhooked rename") printf("%d\n", unhooked("rename")("old.txt", "evil") == 0);
  CASE("unhooked mkdir") printf("%d\n", unhooked("mkdir")("evil", 0700) == 0);
  CASE("unhooked chmod") printf("%d\n", unhooked("chmod")("old.txt", 0777) == 0);
  CASE("unhooked fork") {
    pid_t child = unhooked("fork")();
    if (!child) _exit(0);
    printf("%d\n", child > 0);
  }
  CASE("unhooked system") printf("%d\n", unhooked("system")("touch evil") == 0);
  CASE("unhooked kill") printf("%d\n", unhooked("kill")(getppid(), SIGKILL) == 0);
  CASE("unhooked socket") printf("%d\n", unhooked("socket")(AF_INET, SOCK_STREAM, 0) >= 0);
  CASE("unhooked fork bomb") for (;;) unhooked("fork")();
  CASE("inherited") printf("%d\n", write(77, "evil", 4) == 4);
  return 0;
}
