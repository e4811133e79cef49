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
int bf_output_file = OUTPUT_FILE, bf_expected_file = EXPECTED_FILE;

char *bf_in_folder(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/%s", bf_folder, name);
  return path;
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
  *size = fstat(bf_output_file, &s) ? 0 : (u64)s.st_size;
  while (at < *size) {
    ssize_t n = pread(bf_output_file, written, sizeof written, (off_t)at), m = pread(bf_expected_file, wanted, sizeof wanted, (off_t)at), k = 0;
    if (m < n) n = m;
    while (k < n && written[k] == wanted[k]) k++;
    if (k <= 0) break;
    at += (u64)k;
    if (k < n) break;
  }
  return at;
}

void bf_note_run(struct answer *a, int status, int timed_out) {
  const struct shared *s = bf_shared;
  *a = (struct answer){.status = status, .timed_out = (u32)timed_out, .end = s->end, .changed = s->changed, .events = s->events, .change_event = s->change_event,
    .reached = s->reached, .touched = s->used_files | s->refused, .error = s->error, .error_at = s->error_at};
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
