/* One run: how it is waited for, and what came of it. */
#include "runs.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char bf_folder[4096];
struct request bf_request;
struct rule bf_common[MAX_RULES + 1], bf_changes[MAX_CHANGES];
struct progress *bf_progress;
u64 bf_inputs;

char *bf_in_folder(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/%s", bf_folder, name);
  return path;
}

/* The program may have closed the server's files and opened others in their place. */
int bf_is_output(struct stat *s) {
  static struct stat own;
  if (fstat(OUTPUT_FILE, s)) return 0;
  if (!own.st_ino) own = *s;
  return s->st_ino == own.st_ino && s->st_dev == own.st_dev;
}

u64 bf_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* SIGCHLD is blocked meanwhile, so none is missed. */
int bf_await(int child, u32 milliseconds, int *status) {
  u64 now = bf_now(), end = now + milliseconds * 1000000ull;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (; now < end; now = bf_now()) {
    struct timespec left = {(time_t)((end - now) / 1000000000ull), (long)((end - now) % 1000000000ull)};
    sigtimedwait(&set, 0, &left);
    if (waitpid(child, status, WNOHANG) == child) return 0;
  }
  bf_kill(-child, SIGKILL);
  bf_kill(child, SIGKILL);
  waitpid(child, status, 0);
  return 1;
}

/* The length of the output's beginning that is as expected; *size: all of it. */
static u64 compare_output(u64 *size) {
  static u8 written[65536], wanted[65536];
  struct stat s;
  u64 at = 0;
  *size = fstat(OUTPUT_FILE, &s) ? 0 : (u64)s.st_size;
  while (at < *size) {
    ssize_t n = pread(OUTPUT_FILE, written, sizeof written, (off_t)at), m = pread(EXPECTED_FILE, wanted, sizeof wanted, (off_t)at), k = 0;
    if (m < n) n = m;
    while (k < n && written[k] == wanted[k]) k++;
    if (k <= 0) break;
    at += (u64)k;
    if (k < n) break;
  }
  return at;
}

/* What was refused while the program had the signal blocked that says so ends it. */
static int is_trapped(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS; }

void bf_note_run(struct answer *a, int status, int timed_out) {
  const struct shared *s = bf_shared;
  *a = (struct answer){.status = status, .timed_out = (u32)timed_out, .end = s->end, .changed = s->changed, .events = s->events, .change_event = s->change_event,
    .reached = s->reached, .touched = s->used_files | s->refused | (u64)is_trapped(status), .error = s->error, .error_at = s->error_at, .met_again = s->followed};
  memcpy(a->said, s->said, sizeof a->said);
  a->matched = compare_output(&a->output);
}

/* A change in the place of a common rule: a site has one rule. */
u32 bf_rules_with(const struct rule *change, struct rule *rules) {
  u32 n = 0;
  if (change) rules[n++] = *change;
  for (u32 i = 0; i < bf_request.common; i++)
    if (!change || !change->site || bf_common[i].site != change->site) rules[n++] = bf_common[i];
  rules[n] = (struct rule){0};
  return n;
}

void bf_activate(const struct rule *rules, u32 n) {
  for (u32 i = 0; i < n; i++)
    if (rules[i].site && rules[i].site <= __cf_counts[0] && !bf_active[rules[i].site]) bf_active[rules[i].site] = (u8)(i + 1);
}
