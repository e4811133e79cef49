/* The fork server: waits before main, and runs main in a child for every set of rules it is given. */
#include "hooks.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IN 900
#define OUT 901
#define LARGER_FRAMES 3

enum { JUST_RUN, WATCH, ADOPT }; /* what a request asks for: ADOPT takes the output as the expected one from now on */
struct request { u32 rules, mode, milliseconds, megabytes; u64 events, file_size; };
struct answer { int status; u32 end, changed, timed_out; u64 events, change_event, reached, output, matched, touched; u32 error, error_at; char said[MAX_SAID]; };

static char folder[4096];
static u8 *expected;
static u64 expected_size;
static int output;
static int own_argc;
static char **own_argv;

static void *shared_memory(u64 n) {
  void *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) _exit(125);
  return p;
}

static int read_all(void *to, u64 n) {
  for (u8 *p = to; n;) {
    ssize_t k = read(IN, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return 0;
    p += k, n -= (u64)k;
  }
  return 1;
}
static void write_all(const void *from, u64 n) {
  for (const u8 *p = from; n;) {
    ssize_t k = write(OUT, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) _exit(125);
    p += k, n -= (u64)k;
  }
}

static char *in_folder(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void load_expected(int fd) {
  struct stat s;
  if (fd < 0 || fstat(fd, &s)) return;
  if (expected) munmap(expected, expected_size), expected = 0;
  expected_size = (u64)s.st_size;
  if (!expected_size) return;
  expected = mmap(0, expected_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (expected == MAP_FAILED || pread(fd, expected, expected_size, 0) != (ssize_t)expected_size) _exit(125);
}

/* The length of the output's beginning that is as expected; *size: all of it. */
static u64 compare_output(u64 *size) {
  struct stat s;
  if (fstat(output, &s)) return *size = 0;
  u64 n = *size = (u64)s.st_size, k = 0;
  if (n > expected_size) n = expected_size;
  if (!n) return 0;
  u8 *p = mmap(0, n, PROT_READ, MAP_SHARED, output, 0);
  if (p == MAP_FAILED) return 0;
  while (k < n && p[k] == expected[k]) k++;
  munmap(p, n);
  return k;
}

static void limit(int what, u64 n) {
  struct rlimit l = {n, n};
  setrlimit(what, &l);
}

/* Frames of checked functions are larger than those that the program would have. */
static void more_stack(void) {
  struct rlimit l;
  if (getrlimit(RLIMIT_STACK, &l) || l.rlim_cur == RLIM_INFINITY) return;
  l.rlim_cur = l.rlim_max / LARGER_FRAMES < l.rlim_cur ? l.rlim_max : l.rlim_cur * LARGER_FRAMES;
  setrlimit(RLIMIT_STACK, &l);
}

/* The content of a file of the folder, and a zero behind it; not from the program's heap, which should be as it is without us. */
static char *content(const char *name, u64 *size) {
  struct stat s;
  int fd = open(in_folder(name), O_RDONLY);
  if (fd < 0) return 0;
  char *p = fstat(fd, &s) ? MAP_FAILED : mmap(0, (u64)s.st_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || read(fd, p, (u64)s.st_size) != s.st_size) _exit(125);
  close(fd);
  *size = (u64)s.st_size;
  return p;
}

/* Other arguments, as many as the server has, and other nondeterministic values, if they were given for the runs from now on. */
static void take_input(void) {
  u64 n = 0;
  char *p = content("arguments", &n), *end = p + n;
  for (int i = 1; p && p < end && i < own_argc; i++, p += strlen(p) + 1) own_argv[i] = p;
  p = content("nondet", &n);
  if (p) bf_nondet_give(p);
}

static void become_program(const struct request *q) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int in = open(in_folder("stdin"), O_RDONLY), null = open("/dev/null", O_RDWR);
  take_input();
  dup2(in, 0);
  dup2(output, 1);
  dup2(null, 2);
  close(in), close(null), close(output), close(IN), close(OUT);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, q->milliseconds / 1000 + 1);
  limit(RLIMIT_FSIZE, q->file_size);
  if (q->megabytes) limit(RLIMIT_AS, ((u64)q->megabytes + (&bf_checks_reserved ? bf_checks_reserved : 0)) << 20);
  if (bf_checks_start) more_stack();
  for (int sig = 1; sig < 32; sig++) signal(sig, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
}

/* Waits for the child, at most so long; returns whether it had to be killed. */
static int await(pid_t child, u32 milliseconds, int *status) {
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += milliseconds / 1000;
  end.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (end.tv_nsec >= 1000000000) end.tv_nsec -= 1000000000, end.tv_sec++;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (;;) {
    pid_t r = waitpid(child, status, WNOHANG);
    if (r == child) return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct timespec left = {end.tv_sec - now.tv_sec, end.tv_nsec - now.tv_nsec};
    if (left.tv_nsec < 0) left.tv_nsec += 1000000000, left.tv_sec--;
    if (left.tv_sec < 0) break;
    sigtimedwait(&set, 0, &left);
  }
  bf_kill(-child, SIGKILL);
  bf_kill(child, SIGKILL);
  waitpid(child, status, 0);
  return 1;
}

static void finish(int status, void *arg) {
  (void)status, (void)arg;
  bf_shared->events = bf_events;
}

/* Returns in the children, which go on to main. */
static void serve(void) {
  struct request q;
  static struct rule rules[254];
  for (;;) {
    if (!read_all(&q, sizeof q)) _exit(0);
    if (q.rules > 254 || !read_all(rules, q.rules * sizeof *rules)) _exit(125);
    memset(bf_active, 0, __cf_counts[0] + 1);
    if (q.mode == WATCH) memset(bf_active, 1, __cf_counts[0] + 1), memset(bf_seen, 0, sizeof *bf_seen * (__cf_counts[0] + 1));
    for (u32 i = 0; i < q.rules; i++)
      if (rules[i].site && rules[i].site <= __cf_counts[0]) bf_active[rules[i].site] = (u8)(i + 1);
    memset(bf_shared, 0, sizeof *bf_shared);
    if (ftruncate(output, 0) || lseek(output, 0, SEEK_SET) < 0) _exit(125);
    pid_t child = bf_fork();
    if (child < 0) _exit(125);
    if (!child) {
      bf_rules = rules;
      bf_most_events = q.events;
      if (q.mode != WATCH) bf_seen = 0;
      become_program(&q);
      for (u32 i = 0; i < q.rules; i++)
        if (rules[i].op == OP_INITIAL) bf_initial(rules + i);
        else if (rules[i].op == OP_VARIANT) bf_take_variant((u64)rules[i].a);
        else if (rules[i].op == OP_ALLOW && bf_checks_allow) bf_checks_allow((u64)rules[i].a);
      on_exit(finish, 0);
      return;
    }
    struct answer a;
    memset(&a, 0, sizeof a);
    a.timed_out = (u32)await(child, q.milliseconds, &a.status);
    bf_kill(-child, SIGKILL); /* whatever it has left behind */
    a.end = bf_shared->end, a.changed = bf_shared->changed, a.events = bf_shared->events, a.change_event = bf_shared->change_event, a.reached = bf_shared->reached;
    a.touched = bf_shared->used_files | bf_shared->refused;
    a.error = bf_shared->error, a.error_at = bf_shared->error_at;
    memcpy(a.said, bf_shared->said, sizeof a.said);
    if (q.mode == ADOPT) load_expected(output);
    a.matched = compare_output(&a.output);
    if (bf_shared->used_files) bf_tree_clear();
    write_all(&a, sizeof a);
    if (q.mode == WATCH) write_all(bf_seen, sizeof *bf_seen * (__cf_counts[0] + 1));
  }
}

static __attribute__((constructor(101))) void start(int argc, char **argv) {
  own_argc = argc, own_argv = argv;
  const char *where = getenv("BUTFOR_SERVE");
  if (!where || strlen(where) > sizeof folder - 64) _exit(125);
  strcpy(folder, where);
  unsetenv("BUTFOR_SERVE");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bf_tree_start(folder);
  u64 n = __cf_counts[0] + 1;
  bf_active = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bf_seen = shared_memory(sizeof *bf_seen * n);
  bf_shared = shared_memory(sizeof *bf_shared);
  output = open(in_folder("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  output = fcntl(output, F_DUPFD_CLOEXEC, 910);
  if (output < 0 || bf_active == MAP_FAILED) _exit(125);
  int fd = open(in_folder("expected"), O_RDONLY);
  load_expected(fd);
  close(fd);
  bf_nondet_start();
  if (bf_checks_start) bf_checks_start(argv);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, 0);
  signal(SIGINT, SIG_IGN); /* a Ctrl-C in the terminal is for butfor, which then ends us */
  bf_fence(folder);
  serve();
}
