/* keeper: stands between butfor and what it starts, so that nothing outlives butfor, however that ends.

   keeper run LIFE REPORT EXECUTABLE NAME ARGUMENT...   runs a program; what the program starts belongs to it, wherever that goes
   keeper folders LIFE                                  removes folders that butfor no longer can

   LIFE is a descriptor whose other end only butfor holds: when that is closed, butfor has ended, or wants no more of the program. `run` writes to
   REPORT the program's process and, when that has ended, how, as wait() says it. What the program has started may then go on until LIFE is closed.
   `folders` reads lines from LIFE: +PATH, -PATH. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void report(int to, int what) {
  while (write(to, &what, sizeof what) < 0 && errno == EINTR) ;
}

/* ---- processes ------------------------------------------------------------------------------------------------------------------ */

static int parent_of(int process) {
  char name[64], text[512];
  snprintf(name, sizeof name, "/proc/%d/stat", process);
  int file = open(name, O_RDONLY | O_CLOEXEC), parent = 0;
  ssize_t n = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (n <= 0) return 0;
  text[n] = 0;
  char *end = strrchr(text, ')');
  return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static int kill_children(void) {
  int found = 0, me = getpid();
  DIR *all = opendir("/proc");
  for (struct dirent *e; all && (e = readdir(all));) {
    int process = atoi(e->d_name);
    if (process > 0 && parent_of(process) == me) found += !kill(process, SIGKILL);
  }
  if (all) closedir(all);
  return found;
}

/* What has lost its parent becomes our child, so that in the end nothing is left. */
static void kill_all(int program) {
  kill(-program, SIGKILL);
  for (int rounds = 0; rounds < 1000; rounds++) {
    kill_children();
    struct timespec moment = {0, 1000000};
    int process;
    while ((process = waitpid(-1, 0, WNOHANG | __WALL)) > 0) ;
    if (process < 0 && errno == ECHILD) return;
    nanosleep(&moment, 0);
  }
}

/* Waits until nothing is left of the program, or butfor has ended; tells how the program itself ended. Returns whether anything is left. */
static int wait_for(int program, int children, int life, int to) {
  struct pollfd on[] = {{children, POLLIN, 0}, {life, POLLIN, 0}};
  for (;;) {
    int process, status;
    while ((process = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
      if (process == program) report(to, status);
    if (process < 0 && errno == ECHILD) return 0;
    if (poll(on, 2, -1) < 0) continue;
    if (on[1].revents) return 1;
    struct signalfd_siginfo info;
    if (on[0].revents && read(children, &info, sizeof info) < 0) continue;
  }
}

/* Variables that are for the loader of the program, and not for ours, come with this before their names. */
#define FOR_PROGRAM "KEEPER_"
static void take_back_names(void) {
  for (char **v = environ; *v; v++)
    if (!strncmp(*v, FOR_PROGRAM, sizeof FOR_PROGRAM - 1)) *v += sizeof FOR_PROGRAM - 1;
}

static int run(int life, int to, char **command) {
  sigset_t mask, child;
  sigprocmask(SIG_SETMASK, 0, &mask);
  sigemptyset(&child), sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int program = fork();
  if (program < 0) return 126;
  if (!program) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    close(life), close(to);
    sigprocmask(SIG_SETMASK, &mask, 0);
    take_back_names();
    execve(command[0], command + 1, environ);
    _exit(127);
  }
  report(to, program);
  for (int file = 0; file < 3; file++) close(file); /* whoever reads what the program writes is to see its end */
  for (int number = 1; number < 32; number++) if (number != SIGCHLD) signal(number, SIG_IGN); /* only the end of butfor ends us */
  if (wait_for(program, signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), life, to)) kill_all(program);
  return 0;
}

/* ---- folders -------------------------------------------------------------------------------------------------------------------- */

#define MOST 4096 /* folders at a time */
static char *folders[MOST];
static int count;

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at) {
  (void)s, (void)kind, (void)at;
  remove(path);
  return 0;
}
static void remove_all(void) {
  for (int tries = 0; tries < 50; tries++) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      nftw(folders[i], remove_one, 64, FTW_DEPTH | FTW_PHYS);
      left += access(folders[i], F_OK) == 0;
    }
    if (!left) return;
    usleep(100000); /* what writes there is just being ended */
  }
}
static void take(const char *line) {
  if (*line == '+' && count < MOST) folders[count++] = strdup(line + 1);
  for (int i = 0; *line == '-' && i < count; i++)
    if (!strcmp(folders[i], line + 1)) { free(folders[i]), folders[i] = folders[--count]; return; }
}
static int keep_folders(int life) {
  for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
  FILE *lines = fdopen(life, "r");
  char *line = 0;
  size_t room = 0;
  for (ssize_t n; lines && (n = getline(&line, &room, lines)) > 0;) {
    if (line[n - 1] == '\n') line[n - 1] = 0;
    take(line);
  }
  remove_all();
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "folders")) return keep_folders(atoi(argv[2]));
  if (argc < 6 || strcmp(argv[1], "run")) return 2;
  return run(atoi(argv[2]), atoi(argv[3]), argv + 4);
}
