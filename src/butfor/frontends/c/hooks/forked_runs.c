/* Runs forked off a run: where a change first makes a difference, it gets a run that goes on from there. What was run before need not be run
   again, and neither need a run be that would be the same as another one. The program runs on in between as if nothing had happened; what a fork does not copy, the offsets of files and the output, is
   put back after each run. Programs for which that is not all are not run in this way (HookedBuild.can_be_forked). */
#include "runs.h"
#include "change.h"
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
#define LOOKS 64 /* occurrences of a site at which its changes may make no difference before they get runs anyway: looking takes time, too */
#define SHARE 3 /* the slice for forked runs is at least so many times what they have in common: that is run again for the next request */

static u32 *first, *count; /* per site: its first change that waits, NONE if there is none; how often it was met */
static u32 next[MAX_CHANGES], waiting;
static int is_forked;

/* What came of runs that went on from an occurrence of a site with another value. Those that did not come to the site again had no more of their
   rule; where they did, it was a rule for this occurrence only. */
struct known { u64 inputs; u32 site, met; i64 value; u8 traps, met_again; struct answer answer; };
#define MAX_KNOWN 4096 /* a megabyte */
static struct known *known; /* shared with the server, so that later requests find them */
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
  known = bf_shared_memory(MAX_KNOWN * sizeof *known);
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
      if (*name != '.' && fd != list && fd != OUTPUT_FILE && fd != EXPECTED_FILE) good = note_file(fd);
    }
  }
  if (list >= 0) close(list);
  return good;
}

static void put_back(const struct shared *before) {
  *bf_shared = *before;
  for (u32 i = 0; i < nfiles; i++) lseek(files[i].fd, files[i].offset, SEEK_SET);
  if (ftruncate(OUTPUT_FILE, written)) _exit(125);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------------------- */

/* Whether this run, and nothing that a forked one wrote over, is to fork. */
static int begin(void) {
  if (bf_progress->process != getpid()) return 0;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &on_child);
  struct stat s;
  if (bf_shared->used_files || !note_files() || !bf_is_output(&s)) stop(CANNOT_FORK);
  written = s.st_size;
  return 1;
}

static void go_on(void) {
  sigaction(SIGCHLD, &on_child, 0);
  sigprocmask(SIG_SETMASK, &mask, 0);
}

/* In the new process: the change and the common rules are active, nothing waits. */
static struct rule *become(const struct rule *change, u32 met) {
  static struct rule rules[MAX_RULES + 1];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(OUTPUT_FILE), close(EXPECTED_FILE);
  for (u32 k = 0; k < bf_request.changes; k++)
    if (bf_changes[k].site <= __cf_counts[0]) bf_active[bf_changes[k].site] = 0;
  for (u32 i = 0; i < bf_request.common; i++) bf_active[bf_common[i].site] = 0;
  u32 n = bf_rules_with(change, rules);
  bf_activate(rules, n);
  bf_rules = rules;
  if (n <= bf_request.common) bf_shared->reached = 0; /* the change took the place of the probe */
  is_forked = 1;
  bf_met(0, met);
  return bf_applied = rules;
}

/* The change in a new run, 0 in the run under way. */
static struct rule *fork_off(u32 k, u32 met) {
  struct shared before = *bf_shared;
  u64 start = bf_now();
  if (forking > bf_request.slice * 1000000ull && forking > SHARE * (start - armed - forking)) stop(SLICE_OVER);
  int child = bf_fork();
  if (child < 0) stop(CANNOT_FORK);
  if (!child) return become(bf_changes + k, met);
  int status, timed_out = bf_await(child, bf_request.milliseconds, &status);
  bf_kill(-child, SIGKILL);
  bf_note_run(bf_progress->answers + k, status, timed_out);
  if (bf_shared->used_files) stop(CANNOT_FORK); /* only the server can put those back */
  put_back(&before);
  forking += bf_now() - start;
  return 0;
}

/* Whether the effect of a change can be told before it is made: what it reads is there, it writes nothing, and a value is all that it changes. In
   programs that are checked, what is known of the value changes too. */
static int is_foreseen(const struct rule *r) {
  return !bf_checks_start && r->op != OP_KEEP && r->op != OP_COMPOUND && r->op != OP_ASSIGN_LOCAL && r->op != OP_ASSIGN_GLOBAL;
}

static struct known *known_run(const struct occurrence *o, u32 met, struct effect e) {
  u64 hash = ((u64)o->site * 0x9e3779b97f4a7c15ull + met) * 0x9e3779b97f4a7c15ull ^ (u64)e.value * 0xc2b2ae3d27d4eb4full ^ e.traps;
  return known + (hash ^ hash >> 32) % MAX_KNOWN;
}

static const struct answer *same_run(const struct occurrence *o, const struct rule *change, u32 met, struct effect e) {
  const struct known *r = known_run(o, met, e);
  int is_same = r->inputs == bf_inputs && r->site == o->site && r->met == met && r->value == e.value && r->traps == e.traps;
  return is_same && (!r->met_again || change->only) ? &r->answer : 0;
}

static void remember(const struct occurrence *o, const struct rule *change, u32 met, struct effect e, const struct answer *a) {
  if (a->met_again && !change->only) return;
  *known_run(o, met, e) = (struct known){bf_inputs, o->site, met, e.value, e.traps, a->met_again != 0, *a};
}

static const struct rule *common_rule(u32 site) {
  for (u32 i = 0; i < bf_request.common; i++)
    if (bf_common[i].site == site) return bf_common + i;
  return 0;
}

static void answered(u32 *link, u32 k) {
  *link = next[k];
  if (!--waiting) stop(NOT_STOPPED);
}

/* The changes that apply to this occurrence, each in a run of its own: its rule there, 0 in the run under way. */
static struct rule *fork_off_changes(const struct occurrence *o, int *has_begun) {
  u32 met = ++count[o->site], *link = first + o->site;
  for (u32 k; (k = *link) != NONE;) {
    const struct rule *change = bf_changes + k;
    int foreseen = is_foreseen(change);
    struct effect e = {0, 1, 0};
    if (change->only && change->only != met) { link = next + k; continue; }
    if (foreseen) e = o->effect(o, change);
    if (!e.differs && change->only) { *link = next[k]; continue; } /* it never will: it ends as the run under way does */
    if (!e.differs && met <= LOOKS) { link = next + k; continue; }
    const struct answer *same = foreseen ? same_run(o, change, met, e) : 0;
    if (same) bf_progress->answers[k] = *same;
    else {
      if (!*has_begun && !(*has_begun = begin())) return 0;
      struct rule *r = fork_off(k, met);
      if (r) return r;
      if (foreseen) remember(o, change, met, e, bf_progress->answers + k);
    }
    answered(link, k);
  }
  return 0;
}

struct rule *bf_fork_off(const struct occurrence *o) {
  int error = errno, has_begun = 0;
  if (is_forked) return bf_active[o->site] = 0, (struct rule *)0; /* it wrote over the table: it forks no others */
  struct rule *r = fork_off_changes(o, &has_begun);
  const struct rule *rule = r ? 0 : common_rule(o->site);
  if (!r && first[o->site] == NONE) bf_active[o->site] = rule ? (u8)(1 + (rule - bf_common)) : 0;
  if (rule && rule->op == OP_PROBE) bf_shared->reached++;
  if (has_begun) go_on();
  errno = error;
  return r;
}
