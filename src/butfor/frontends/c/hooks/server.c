/* The fork server: waits before main, takes inputs and sets of rules, and runs main in a child for each set. */
#include "fence.h"
#include "runs.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGER_FRAMES 3
#define LAST_DESCRIPTOR 1023

enum { INPUT, EXPECTED, RUNS };
struct message { u32 kind, unused; u64 size; }; /* and so many bytes */

/* ---- messages -------------------------------------------------------------------------------------------------------------- */

int bf_receive(void *to, u64 n) {
  for (u8 *p = to; n;) {
    ssize_t k = read(IN, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return 0;
    p += k, n -= (u64)k;
  }
  return 1;
}
static void answer(const void *from, u64 n) {
  for (const u8 *p = from; n;) {
    ssize_t k = write(OUT, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) _exit(125);
    p += k, n -= (u64)k;
  }
}

/* ---- the expected output ----------------------------------------------------------------------------------------------------- */

static u8 part[65536];

static void empty(int file) {
  if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET)) _exit(125);
}
static void take_expected(u64 n) {
  empty(EXPECTED_FILE);
  for (u64 k; n; n -= k) {
    k = n < sizeof part ? n : sizeof part;
    if (!bf_receive(part, k) || write(EXPECTED_FILE, part, k) != (ssize_t)k) _exit(125);
  }
}
static void adopt_output(void) {
  empty(EXPECTED_FILE);
  for (off_t at = 0;;) {
    ssize_t k = pread(OUTPUT_FILE, part, sizeof part, at);
    if (k <= 0) break;
    if (write(EXPECTED_FILE, part, (size_t)k) != k) _exit(125);
    at += k;
  }
}

/* ---- runs: these return 1 in the children, which go on to main --------------------------------------------------------------- */

void bf_note_refused(void) { bf_shared->refused++; }

static void limit(int what, u64 n) {
  struct rlimit l = {n, n};
  setrlimit(what, &l);
}

static void finish(int status, void *arg) {
  (void)status, (void)arg;
  bf_shared->events = bf_events();
}

static int is_forking; /* other runs are to be forked off this one, which needs some of the server's files for them */

static void become_program(const struct rule *rules, u32 n) {
  const struct request *q = &bf_request;
  u64 reserved = bf_reserved + (&bf_checks_reserved ? bf_checks_reserved : 0);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_forking) close(IN), close(OUT), close(STDIN_FILE), close(OWN_FOLDER);
  else if (syscall(SYS_close_range, IN, LAST_DESCRIPTOR, 0))
    for (int fd = IN; fd <= OWN_FOLDER; fd++) close(fd);
  limit(RLIMIT_CPU, q->milliseconds / 1000 + 1);
  limit(RLIMIT_FSIZE, q->file_size);
  if (q->megabytes) limit(RLIMIT_AS, (q->megabytes + reserved) << 20);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  bf_most_events = bf_events_left = (i64)q->events;
  bf_own_stack_for_hooks((int)q->snapshots);
  if (q->mode != WATCH) bf_seen = 0;
  for (u32 i = 0; i < n; i++)
    if (rules[i].op == OP_INITIAL) bf_initial(rules + i);
    else if (rules[i].op == OP_VARIANT) bf_take_variant((u64)rules[i].a);
    else if (rules[i].op == OP_ALLOW && bf_checks_allow) bf_checks_allow((u64)rules[i].a);
  on_exit(finish, 0);
}

static int begin_run(const struct rule *rules, u32 n) {
  memset(bf_shared, 0, sizeof *bf_shared);
  empty(OUTPUT_FILE);
  if (lseek(0, 0, SEEK_SET)) _exit(125);
  int child = bf_fork();
  if (child < 0) _exit(125);
  if (!child) become_program(rules, n);
  return child;
}

static void end_run(int child, u32 milliseconds, struct answer *a) {
  int status, timed_out = bf_await(child, milliseconds, &status);
  bf_kill(-child, SIGKILL); /* whatever it has left behind */
  bf_note_run(a, status, timed_out);
  if (bf_shared->used_files) bf_tree_clear();
}

static int run_with(const struct rule *change, struct answer *a) {
  static struct rule rules[MAX_RULES + 1];
  u32 n = bf_rules_with(change, rules);
  memset(bf_active, bf_request.mode == WATCH, __cf_counts[0] + 1);
  if (bf_request.mode == WATCH) memset(bf_seen, 0, sizeof *bf_seen * (__cf_counts[0] + 1));
  else bf_activate(rules, n);
  bf_rules = rules;
  int child = begin_run(rules, n);
  if (!child) return 1;
  end_run(child, bf_request.milliseconds, a);
  return 0;
}

static int has_site(const struct rule *r) { return r->site && r->site <= __cf_counts[0]; }

/* One run without any change, from which those with changes are forked off; where it never comes, a change makes no difference. */
static int run_forking(void) {
  memset(bf_active, 0, __cf_counts[0] + 1);
  bf_activate(bf_common, bf_request.common);
  bf_rules = bf_common;
  bf_arm();
  bf_progress->stopped = NOT_STOPPED;
  is_forking = 1;
  int child = begin_run(bf_common, bf_request.common);
  is_forking = 0;
  if (!child) return bf_progress->process = getpid(), 1;
  struct answer a;
  end_run(child, 8 * bf_request.milliseconds + bf_request.slice, &a); /* what is in it has limits of its own */
  for (u32 k = 0; bf_progress->stopped == NOT_STOPPED && k < bf_request.changes; k++) {
    struct answer *to = bf_progress->answers + k;
    if (to->end != END_NOT_RUN || !has_site(bf_changes + k)) continue;
    *to = a;
    for (u32 i = 0; i < bf_request.common; i++)
      if (bf_common[i].site == bf_changes[k].site) to->reached = 0;
  }
  return 0;
}

static int cannot_fork; /* with this input */

static int run_changes(void) {
  u32 sites = 0, n = bf_request.changes;
  u64 end = bf_now() + bf_request.slice * 1000000ull;
  for (u32 k = 0; k < n; k++) sites += (u32)has_site(bf_changes + k), bf_progress->answers[k].end = END_NOT_RUN;
  int forking = bf_request.snapshots && sites > 1 && !cannot_fork;
  if (forking && run_forking()) return 1;
  if (forking && bf_progress->stopped == CANNOT_FORK) cannot_fork = 1;
  int rest = !forking || cannot_fork;
  for (u32 k = 0; k < n; k++) {
    struct answer *a = bf_progress->answers + k;
    if (a->end != END_NOT_RUN || !(rest || !has_site(bf_changes + k)) || (k && bf_now() >= end)) continue;
    if (run_with(bf_changes + k, a)) return 1;
  }
  answer(bf_progress->answers, n * sizeof *bf_progress->answers);
  return 0;
}

/* Whether runs have other limits or common rules than those of the request before. */
static int is_different(void) {
  static struct request last;
  static struct rule rules[MAX_RULES + 1];
  const struct request *q = &bf_request;
  u64 size = q->common * sizeof *rules;
  int is_same = last.common == q->common && last.milliseconds == q->milliseconds && last.megabytes == q->megabytes && last.events == q->events
    && last.file_size == q->file_size && !memcmp(rules, bf_common, size);
  last = *q;
  memcpy(rules, bf_common, size);
  return !is_same;
}

static int run_all(void) {
  struct request *q = &bf_request;
  if (!bf_receive(q, sizeof *q) || q->common > MAX_RULES - !!q->changes || q->changes > MAX_CHANGES) _exit(125);
  if (!bf_receive(bf_common, q->common * sizeof *bf_common) || !bf_receive(bf_changes, q->changes * sizeof *bf_changes)) _exit(125);
  bf_common[q->common] = (struct rule){0};
  bf_inputs += (u64)is_different();
  if (q->changes) return run_changes();
  if (run_with(0, bf_progress->answers)) return 1;
  if (q->mode == ADOPT) adopt_output(), bf_inputs++, bf_progress->answers->matched = bf_progress->answers->output;
  answer(bf_progress->answers, sizeof *bf_progress->answers);
  if (q->mode == WATCH) answer(bf_seen, sizeof *bf_seen * (__cf_counts[0] + 1));
  return 0;
}

static u64 serve(u64 unused) {
  struct message m;
  for (int is_child = 0; !is_child;) {
    if (!bf_receive(&m, sizeof m)) _exit(0);
    if (m.kind == INPUT) bf_take_input(m.size), cannot_fork = 0, bf_inputs++;
    else if (m.kind == EXPECTED) take_expected(m.size), bf_inputs++;
    else is_child = run_all();
  }
  return 0;
}

/* ---- start -------------------------------------------------------------------------------------------------------------------- */

/* Frames of checked functions are larger than those that the program would have. */
static void more_stack(void) {
  struct rlimit l;
  if (getrlimit(RLIMIT_STACK, &l) || l.rlim_cur == RLIM_INFINITY) return;
  l.rlim_cur = l.rlim_max / LARGER_FRAMES < l.rlim_cur ? l.rlim_max : l.rlim_cur * LARGER_FRAMES;
  setrlimit(RLIMIT_STACK, &l);
}

static void open_as(int number, const char *name, int flags) {
  int fd = open(name, flags, 0600);
  if (fd < 0 || dup2(fd, number) < 0) _exit(125);
  if (fd != number) close(fd);
}

/* Standard input and output of runs are open before there is any run; each begins with their offsets at 0. */
static void open_files(void) {
  open_as(STDIN_FILE, bf_in_folder("stdin"), O_RDWR | O_CREAT | O_TRUNC);
  open_as(OUTPUT_FILE, bf_in_folder("output"), O_RDWR | O_CREAT | O_TRUNC);
  open_as(EXPECTED_FILE, bf_in_folder("expected"), O_RDWR | O_CREAT | O_TRUNC);
  open_as(OWN_FOLDER, ".", O_PATH | O_DIRECTORY);
  open_as(0, bf_in_folder("stdin"), O_RDONLY);
  open_as(2, "/dev/null", O_RDWR);
  struct stat s;
  if (dup2(OUTPUT_FILE, 1) < 0 || !bf_is_output(&s)) _exit(125);
}

static __attribute__((constructor(101))) void start(int argc, char **argv) {
  const char *where = getenv("BUTFOR_SERVE");
  if (!where || strlen(where) > sizeof bf_folder - 64) _exit(125);
  strcpy(bf_folder, where);
  unsetenv("BUTFOR_SERVE");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bf_tree_start(bf_folder);
  u64 n = __cf_counts[0] + 1;
  bf_memory_start();
  bf_shared = bf_shared_memory(sizeof *bf_shared);
  bf_progress = bf_shared_memory(sizeof *bf_progress);
  bf_seen = bf_shared_memory(sizeof *bf_seen * n);
  bf_forked_runs_start();
  bf_own_stack_start();
  bf_input_start(argc, argv);
  open_files();
  if (bf_checks_start) bf_checks_start(argv), more_stack();
  limit(RLIMIT_CORE, 0);
  for (int sig = 1; sig < 32; sig++) signal(sig, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_SETMASK, &set, 0);
  signal(SIGINT, SIG_IGN); /* a Ctrl-C in the terminal is for butfor, which then ends us */
  bf_fence(bf_folder, TRIED);
  bf_on_own_stack(serve, 0);
}
