/* Runs forked off a run: where it first comes to a site with changes, each of them gets a run that goes on from there. What was run before need
   not be run again. The program runs on in between as if nothing had happened; what a fork does not copy, the offsets of files and the output, is
   put back after each run. Programs for which that is not all are not run in this way (HookedBuild.can_be_forked). */
#include "runs.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FILES 256
#define NONE ~0u
#define SHARE 3 /* the slice for forked runs is at least so many times what they have in common: that is run again for the next request */

static u32 *first, *count; /* per site: its first change that waits, NONE if there is none; how often it was met */
static u32 next[MAX_CHANGES], waiting;
static u64 armed, forking; /* nanoseconds: when, and in forked runs so far */

static struct { int fd; off_t offset; } files[MAX_FILES];
static u32 nfiles;
static off_t written;
static sigset_t mask;
static struct sigaction on_child;

static __attribute__((noreturn)) void stop(u32 why) {
  bf_progress->stopped = why;
  _exit(0);
}

void bf_forked_runs_start(void) {
  u64 n = __cf_counts[0] + 1;
  first = bf_own_memory(2 * n * sizeof *first);
  count = first + n;
}

void bf_arm(void) {
  waiting = 0, forking = 0, armed = bf_now();
  for (u32 k = bf_request.changes; k--;) {
    u32 site = bf_changes[k].site;
    if (!site || site > __cf_counts[0]) continue;
    next[k] = bf_active[site] == ARMED ? first[site] : NONE;
    bf_active[site] = ARMED;
    first[site] = k, count[site] = 0;
    waiting++;
  }
}

/* ---- what a fork does not copy ------------------------------------------------------------------------------------------------ */

static int note_file(int fd) {
  off_t offset = lseek(fd, 0, SEEK_CUR);
  if (offset < 0 || nfiles == MAX_FILES) return 0;
  files[nfiles].fd = fd, files[nfiles++].offset = offset;
  return 1;
}

/* Without the library's functions, which allocate: the program's heap stays as it is. */
static int note_files(void) {
  static char part[4096];
  int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), good = list >= 0;
  nfiles = 0;
  for (long n; good && (n = syscall(SYS_getdents64, list, part, sizeof part)) != 0;) {
    if (n < 0) good = 0;
    for (long at = 0; at < n && good; at += *(u16 *)(part + at + 16)) {
      const char *name = part + at + 19;
      int fd = atoi(name);
      if (*name != '.' && fd != list) good = note_file(fd);
    }
  }
  if (list >= 0) close(list);
  return good;
}

static void put_back(const struct shared *before) {
  *bf_shared = *before;
  for (u32 i = 0; i < nfiles; i++) lseek(files[i].fd, files[i].offset, SEEK_SET);
  if (ftruncate(bf_output_file, written)) _exit(125);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------------------- */

static void begin(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &on_child);
  struct stat s;
  if (bf_shared->used_files || !note_files()) stop(CANNOT_FORK);
  bf_output_file = open(bf_in_folder("output"), O_RDWR | O_CLOEXEC);
  bf_expected_file = open(bf_in_folder("expected"), O_RDONLY | O_CLOEXEC);
  if (bf_output_file < 0 || bf_expected_file < 0 || fstat(bf_output_file, &s)) stop(CANNOT_FORK);
  written = s.st_size;
}

static void go_on(void) {
  close(bf_output_file), close(bf_expected_file);
  sigaction(SIGCHLD, &on_child, 0);
  sigprocmask(SIG_SETMASK, &mask, 0);
}

/* In the new process: the change and the common rules are active, nothing waits. */
static struct rule *become(const struct rule *change) {
  static struct rule rules[MAX_RULES + 1];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (u32 k = 0; k < bf_request.changes; k++)
    if (bf_changes[k].site <= __cf_counts[0]) bf_active[bf_changes[k].site] = 0;
  for (u32 i = 0; i < bf_request.common; i++) bf_active[bf_common[i].site] = 0;
  u32 n = bf_rules_with(change, rules);
  bf_activate(rules, n);
  bf_rules = rules;
  if (n <= bf_request.common) bf_shared->reached = 0; /* the change took the place of the probe */
  waiting = 0;
  bf_met(0, change->only);
  return bf_applied = rules;
}

/* The change in a new run, 0 in the run under way. */
static struct rule *fork_off(u32 k) {
  struct shared before = *bf_shared;
  u64 start = bf_now();
  if (forking > bf_request.slice * 1000000ull && forking > SHARE * (start - armed - forking)) stop(SLICE_OVER);
  int child = bf_fork();
  if (child < 0) stop(CANNOT_FORK);
  if (!child) return become(bf_changes + k);
  int status, timed_out = bf_await(child, bf_request.milliseconds, &status);
  bf_kill(-child, SIGKILL);
  bf_note_run(bf_progress->answers + k, status, timed_out);
  if (bf_shared->used_files) stop(CANNOT_FORK); /* only the server can put those back */
  put_back(&before);
  forking += bf_now() - start;
  return 0;
}

static const struct rule *common_rule(u32 site) {
  for (u32 i = 0; i < bf_request.common; i++)
    if (bf_common[i].site == site) return bf_common + i;
  return 0;
}

static u64 fork_off_at(u64 site) {
  int error = errno, begun = 0;
  if (bf_progress->process != getpid()) return bf_active[site] = 0; /* a forked run wrote over the table: it forks no others */
  u32 met = ++count[site], *link = first + site;
  for (u32 k; (k = *link) != NONE;) {
    u32 only = bf_changes[k].only;
    if (only && only != met) { link = next + k; continue; }
    if (!begun++) begin();
    struct rule *r = fork_off(k);
    if (r) {
      go_on();
      errno = error;
      return (u64)r;
    }
    *link = next[k];
    if (!--waiting) stop(NOT_STOPPED);
  }
  const struct rule *rule = common_rule((u32)site);
  if (first[site] == NONE) bf_active[site] = rule ? (u8)(1 + (rule - bf_common)) : 0;
  if (rule && rule->op == OP_PROBE) bf_shared->reached++;
  if (begun) go_on();
  errno = error;
  return 0;
}

struct rule *bf_fork_off(u32 site) { return (struct rule *)bf_on_own_stack(fork_off_at, site); }
