/* Runs: what one may use, how it is waited for, what came of it. */
#ifndef BUTFOR_RUNS_H
#define BUTFOR_RUNS_H
#include "hooks.h"
#include <sys/stat.h>

#define MAX_RULES 254   /* of one run: 1 + their numbers fit into bytes, besides ARMED */
#define MAX_CHANGES 1024 /* of one request */
#define ARMED 255       /* in bf_active: runs are forked off at this site */

/* Descriptors of the server, which no run has; those of a run are 0, 1 and 2. */
enum { IN = 900, OUT, STDIN_FILE, OUTPUT_FILE, EXPECTED_FILE, OWN_FOLDER };

enum { JUST_RUN, WATCH, ADOPT }; /* what a request asks for: ADOPT takes the output as the expected one from now on */
/* `common` rules hold in all runs. Without changes there is one run, else one for each; as many as can be begun in `slice` milliseconds. */
struct request { u32 common, changes, mode, snapshots, milliseconds, slice, megabytes, unused; u64 events, file_size; };

/* met_again: how often a forked run came to its site again */
struct answer { int status; u32 end, changed, timed_out; u64 events, change_event, reached, output, matched, touched, met_again; u32 error, error_at; char said[MAX_SAID]; };

enum stop { NOT_STOPPED, SLICE_OVER, CANNOT_FORK }; /* why a run from which others are forked off was ended */
struct progress { u32 stopped; int process; struct answer answers[MAX_CHANGES]; }; /* shared between the server and that run, which is this process */

extern char bf_folder[4096];
extern struct request bf_request;
extern struct rule bf_common[MAX_RULES + 1], bf_changes[MAX_CHANGES]; /* the common ones with one without a site behind them */
extern struct progress *bf_progress;
extern u64 bf_inputs; /* how often runs were given something else: input, expected output, limits, common rules */

char *bf_in_folder(const char *name);
int bf_is_output(struct stat *s); /* whether OUTPUT_FILE still is what it was at the first call; fills in its state */
u64 bf_now(void); /* nanoseconds */
int bf_await(int child, u32 milliseconds, int *status); /* at most so long; returns whether it had to be killed */
void bf_note_run(struct answer *a, int status, int timed_out);
u32 bf_rules_with(const struct rule *change, struct rule *rules); /* fills in those of a run with this change, and one without a site; how many they are */
void bf_activate(const struct rule *rules, u32 n); /* at sites that are not active yet */

/* memory.c */
void bf_memory_start(void); /* before the other functions named _start */
void *bf_own_memory(u64 n); /* zeros, which runs have copies of */
void *bf_shared_memory(u64 n);
extern const u64 bf_reserved; /* megabytes of address space */

/* own_stack.c */
void bf_own_stack_start(void);
void bf_own_stack_for_hooks(int is_wanted); /* whether they run on it from now on */
u64 bf_on_own_stack(u64 (*function)(u64), u64 argument);

/* forked_runs.c */
void bf_forked_runs_start(void);
void bf_arm(void); /* from now on, runs with the changes are forked off where the run under way comes to their sites */

/* input.c */
void bf_input_start(int argc, char **argv);
void bf_take_input(u64 size);
int bf_receive(void *to, u64 n);
#endif
