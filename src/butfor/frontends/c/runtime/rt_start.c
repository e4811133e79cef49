/* Start and end of a recording: files, limits, signals, and the last word on how the run ended. */
#include "rt_log.h"
#include "rt_end.h"
#include "rt_shadow.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <ucontext.h>
#include <unistd.h>

#define BUFFER (1u << 18)
#define STOP_SIGNAL 41
#define MOST_WORDS (64 << 20) /* bytes; the kernel allows no more by far */

u8 *bf_stack_top;
static char dir[4096];
static int closed, recording, own_pid;
static int goes_on; /* a limit ends the recording, not the program */
static u32 stopped_at; /* segments when a limit was reached */
static void *alt_stack;
extern void *const __bf_ftab[];
extern void *const *const __bf_btab[]; /* where the addresses of labels stand */
extern const u64 __bf_counts[4];
extern char __executable_start, etext;
void bf_control_start(void);

static const char *const names[C_COUNT] = {"seg", "load", "escape", "value", "address", "word", "frame", "read", "event",
                                           "run", "object", "death", "error", "output", "piece", "text", "check"};

void bf_fence(const char *folder, int kind); /* rt_fence.c */
int bf_open(const char *path, int flags, unsigned mode); /* as open and unlink, and not refused by the fence */
int bf_unlink(const char *path);
#define FENCE_RECORDED 1

static void say(const char *text) {
  if (write(2, text, strlen(text)) < 0) return;
}

void bf_remove_in_dir(const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  bf_unlink(path);
}

int bf_open_in_dir(const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  int fd = bf_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return fd;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, 700); /* out of the way of programs that count their descriptors */
  if (high >= 0) close(fd), fd = high;
  return fd;
}

int bf_is_log(int fd) {
  for (int c = 0; c < C_COUNT; c++)
    if (fd >= 0 && bf_cols[c].fd == fd) return 1;
  return 0;
}

void *bf_reserve(u64 n) {
  void *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    say("butfor: this machine does not let a process reserve address space (ulimit -v, or overcommit 2)\n");
    _exit(125);
  }
  return p;
}

static void map_shadow(u64 at, u64 n) {
  void *p = mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)at) {
    say("butfor: this machine does not let a process reserve 24 TB of address space (ulimit -v, or overcommit 2)\n");
    _exit(125);
  }
}

static void write_end(int reason, int status, const char *text, u64 fault, int in_program) {
  char line[1024];
  char clean[512];
  size_t k = 0;
  for (; text && text[k] && k < sizeof clean - 1; k++) clean[k] = text[k] == '\n' ? ' ' : text[k];
  clean[k] = 0;
  int n = snprintf(line, sizeof line, "reason %d\nstatus %d\nfault %llu\nin_program %d\nsegments %u\nloads %llu\nstores %u\nframes %u\ncurrent %u\nstopped %u\nkept %u\ntext %s\n", reason,
                   status, (unsigned long long)fault, in_program, bf_segments(), (unsigned long long)bf_loads(), bf_nstores, bf_nframes, bf_frame->id, stopped_at, bf_kept_window(), clean);
  int fd = bf_open_in_dir("end");
  if (fd < 0 || write(fd, line, (size_t)n) != n) say("butfor: the recording could not be finished\n");
}

static void close_with(int reason, int status, const char *text, u64 fault, int in_program) {
  if (closed || !recording || getpid() != own_pid) return;
  closed = 1;
  for (int c = 0; c < C_COUNT; c++) bf_flush(c);
  bf_write_dropped();
  write_end(reason, status, text, fault, in_program);
  for (int c = 0; c < C_COUNT; c++) bf_cols[c].fd = -1; /* code that still runs is not part of the recording */
}
void bf_close_fault(int sig, u64 fault) { close_with(END_SIGNAL, sig, "", fault, 1); }
void bf_close(int reason, int status, const char *text) { close_with(reason, status, text, 0, 0); }
void bf_end_run(int reason, int status, const char *text) {
  bf_close(reason, status, text);
  fflush(stdout);
  _exit(reason == END_EXIT ? status : 124);
}
void bf_limit(const char *text) {
  if (!goes_on) bf_end_run(END_LIMIT, 0, text);
  bf_close(END_LIMIT, 0, text);
  bf_stop = 0;
}
void bf_disk_full(void) {
  static int once;
  for (int c = 0; c < C_COUNT; c++) bf_cols[c].fd = -1;
  if (once++) return;
  closed = 1;
  write_end(END_DISK, errno, strerror(errno), 0, 0); /* the program goes on without a recording */
}

/* ---- signals ------------------------------------------------------------------------------------------------------- */

static int in_program(const ucontext_t *u) {
  u64 pc = (u64)u->uc_mcontext.gregs[REG_RIP];
  return pc >= (u64)&__executable_start && pc < (u64)&etext;
}

static void fatal(int sig, siginfo_t *info, void *context) {
  signal(sig, SIG_DFL);
  u64 fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ? (u64)info->si_addr : 0;
  close_with(END_SIGNAL, sig, "", fault, in_program(context));
  raise(sig); /* blocked until we return: then the process ends the way it would have */
}

static void stop(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  if (!bf_stop) stopped_at = bf_segments(); /* a call that waits returns early now, so the run goes on for a while */
  if (bf_stop++ && !goes_on) bf_end_run(END_LIMIT, 0, "time");
}

static void handle(int sig, void (*f)(int, siginfo_t *, void *)) {
  struct sigaction old, s;
  sigaction(sig, 0, &old);
  if (old.sa_handler == SIG_IGN) return;
  memset(&s, 0, sizeof s);
  s.sa_sigaction = f;
  s.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&s.sa_mask);
  sigaction(sig, &s, 0);
}

/* butfor starts the program with this signal blocked: until now it would have ended it without a recording */
static void allow(int sig) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, sig);
  sigprocmask(SIG_UNBLOCK, &set, 0);
}

static void signals_start(void) {
  static const int all[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
  alt_stack = mmap(0, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t st = {.ss_sp = alt_stack, .ss_size = 1 << 17};
  sigaltstack(&st, 0);
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) handle(all[i], fatal);
  handle(STOP_SIGNAL, stop);
}

/* ---- start --------------------------------------------------------------------------------------------------------- */

static int exit_status;

static void at_exit(int status, void *arg) {
  (void)arg;
  exit_status = status & 0xff;
}

/* after the destructors of the program, which a program may give numbers from 101 on */
static __attribute__((destructor(100))) void end(void) {
  fflush(stdout);
  bf_close(END_EXIT, exit_status, "");
}

/* The arguments and the environment, pointers and texts, as they were: what still is so was written by no call. */
static const u8 *words, *words_end;
static u8 *words_then;

static void keep_words(char **argv, char **envp) {
  words = words_end = (const u8 *)argv;
  for (char **list = argv; list; list = list == argv ? envp : 0)
    for (char **w = list; *w; w++)
      if ((u8 *)*w >= words_end && (u8 *)*w - words < MOST_WORDS) words_end = (u8 *)*w + strlen(*w) + 1;
  words_then = bf_reserve((u64)(words_end - words) + 1);
  memcpy(words_then, words, (u64)(words_end - words));
}
int bf_is_as_started(const u8 *p, u64 n) {
  return p >= words && p < words_end && n <= (u64)(words_end - p) && !memcmp(p, words_then + (p - words), n);
}

static void write_start(int argc, char **argv, char **envp) {
  int fd = bf_open_in_dir("start");
  if (fd < 0) return;
  u64 head[4] = {(u64)argc, (u64)argv, (u64)envp, (u64)bf_stack_top};
  int bad = write(fd, head, sizeof head) < 0;
  for (int i = 0; i < argc; i++) {
    u64 p[2] = {(u64)argv[i], strlen(argv[i]) + 1};
    bad |= write(fd, p, sizeof p) < 0;
  }
  for (u64 i = 0; i < __bf_counts[1]; i++) bad |= write(fd, &__bf_ftab[i], 8) < 0;
  for (u64 i = 0; i < __bf_counts[2]; i++) bad |= write(fd, __bf_btab[i], 8) < 0;
  if (bad) say("butfor: the recording could not be started\n");
  close(fd);
}

static __attribute__((constructor(101))) void start(int argc, char **argv, char **envp) {
  const char *where = getenv("BUTFOR_DIR");
  const char *steps = getenv("BUTFOR_SEGMENTS");
  int is_fenced = getenv("BUTFOR_FENCE") != 0;
  u64 limit = steps ? strtoull(steps, 0, 10) : ~0ull;
  if (where && strlen(where) < sizeof dir) strcpy(dir, where);
  goes_on = getenv("BUTFOR_GOES_ON") != 0;
  unsetenv("BUTFOR_GOES_ON");
  const char *last = getenv("BUTFOR_LAST"), *bytes = getenv("BUTFOR_LOG_LIMIT");
  bf_keep_start(last ? strtoull(last, 0, 10) : ~0ull, bytes ? strtoull(bytes, 0, 10) / 2 : ~0ull);
  unsetenv("BUTFOR_LAST");
  unsetenv("BUTFOR_LOG_LIMIT");
  unsetenv("BUTFOR_DIR");
  unsetenv("BUTFOR_SEGMENTS");
  unsetenv("BUTFOR_FENCE");
  recording = dir[0] != 0;
  own_pid = getpid();
  bf_stack_top = (u8 *)argv;
  map_shadow(SH_IDS, 1ull << 44);
  map_shadow(SH_VALS, 1ull << 42);
  map_shadow(SH_PROV, 1ull << 41);
  map_shadow(SH_HEAP, 1ull << 40);
  for (int c = 0; c < C_COUNT; c++) {
    bf_cols[c].buf = bf_cols[c].zero = bf_cols[c].at = bf_reserve(BUFFER + 4096);
    bf_cols[c].end = bf_cols[c].buf + BUFFER;
    bf_cols[c].fd = recording ? bf_open_in_dir(names[c]) : -1;
  }
  bf_frames_start();
  bf_objects_start();
  bf_log_start(limit);
  keep_words(argv, envp);
  if (recording) write_start(argc, argv, envp);
  signals_start();
  bf_control_start();
  on_exit(at_exit, 0);
  allow(STOP_SIGNAL);
  if (is_fenced) bf_fence(dir, FENCE_RECORDED);
}
