/* A program that can be run again with something changed: what its parts share.

   Every place that can be changed is a site with a number. A rule says what happens at one site; sites without a rule cost one look at a
   byte. See ir/change_sites.py for the kinds of sites, counterfactual/change_rules.py for what the operations mean. */
#ifndef BUTFOR_HOOKS_H
#define BUTFOR_HOOKS_H
#define _GNU_SOURCE
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

#define HIDDEN __attribute__((visibility("hidden")))

enum op {
  OP_PROBE,     /* nothing is changed, the occurrences are counted */
  OP_SET,       /* the value a (raw bits for doubles) */
  OP_ADD,       /* the value plus a (doubles: a as raw bits) */
  OP_NEGATE,    /* minus the value */
  OP_NOT,       /* 1 for 0, else 0 */
  OP_KEEP,      /* a store: what was there before */
  OP_LOCAL,     /* the variable at offset a of the frame */
  OP_GLOBAL,    /* the variable at offset b of global number a */
  OP_FLIP,      /* a condition: the other way */
  OP_TRUE,
  OP_FALSE,
  OP_FLIP_EQUAL, /* a comparison: the other way when its sides are equal, the left is less, the left is greater */
  OP_FLIP_LESS,
  OP_FLIP_GREATER,
  OP_SHIFT,     /* a comparison: with a added to its right side */
  OP_OPERATOR,  /* an operation: operator a instead */
  OP_RIGHT,     /* an operation: with a added to its right side */
  OP_ONLY_LEFT,
  OP_ONLY_RIGHT,
  OP_SWAP,
  OP_SKIP,      /* a call: not made, its result is 0 */
  OP_CALL,      /* a call: of function number a instead */
  OP_RIGHT_LOCAL,  /* a comparison or an operation: its right side is the variable at offset a of the frame */
  OP_RIGHT_GLOBAL,
  OP_RELATION,  /* a comparison: with predicate a instead */
  OP_COMPOUND,  /* a store: what was there before, operator a, the value */
  OP_PLUS_LOCAL,  /* the value plus b times the variable at offset a of the frame */
  OP_ADDRESS_LOCAL,  /* the address of the variable at offset a of the frame */
  OP_ADDRESS_GLOBAL, /* the address b bytes into global number a */
  OP_INITIAL,   /* no site: a is added to global number `only` at offset b before the program starts */
  OP_VARIANT,   /* no site: in all functions with a variant number a, that variant runs instead */
  OP_ALLOW,     /* no site: memory errors at check number a are let pass */
  OP_ASSIGN_LOCAL,  /* the variable at offset a of the frame gets the value b; with OWN_VALUE in bytes, so does the site */
  OP_ASSIGN_GLOBAL, /* the same for the variable at offset a >> 32 of global number a & 0xffffffff */
};

struct rule {
  u32 site, op;
  i64 a, b;
  u32 only;  /* 0: at every occurrence, k: at the k-th only */
  u32 bytes; /* size of the variable that is read instead */
};

#define OWN_VALUE 16u /* in `bytes` of an assignment: the site reads the variable that is assigned */

enum end { END_NORMAL, END_ASSERT, END_ERROR, END_ASSUME, END_LIMIT, END_MEMORY, END_NOT_RUN };

#define MAX_VALUES 12 /* different ones that a site saw: more are seldom tried */
#define MAX_SAID 128  /* bytes: more would not fit a line */
/* What the sites saw in a run that is only watched. */
struct seen {
  u64 count, first;  /* occurrences; events before the first */
  u32 relations;     /* of comparisons: 1 less, 2 equal, 4 greater; 8 false, 16 true */
  u32 nvalues;       /* distinct values (of comparisons: left minus right), the first few */
  i64 values[MAX_VALUES];
};

/* Shared between the server and the run under way. */
struct shared {
  u32 end, changed; /* changed: how often a rule gave another value */
  u64 events, change_event; /* before the first change */
  u64 reached;              /* how often a probe was met */
  u64 followed;             /* how often a site with a rule was met */
  u64 used_files, refused;  /* files were written or removed; how often something was refused because it would reach beyond the run */
  u32 error, error_at;      /* the memory error that ended the run: what it was (checks/checks.c), at which check */
  char said[MAX_SAID];     /* the assertion that failed, with its place */
};

extern HIDDEN u8 bf_active[]; /* in the hooked program, per site: 0, or 1 + the number of its first rule, or ARMED */
extern struct rule *bf_rules; /* those of one site one behind the other; behind the last one stands one without a site */
extern struct seen *bf_seen; /* 0 unless the run is watched */
extern struct shared *bf_shared;
extern struct rule *bf_applied; /* the rule that the latest active site followed, 0 if none */
extern u32 bf_changed_before;   /* changes before that */
extern HIDDEN i64 bf_events_left; /* conditions and calls until the run ends; one number to count and to compare */
extern i64 bf_most_events;
static inline u64 bf_events(void) { return (u64)(bf_most_events - bf_events_left); }
extern const u64 __cf_counts[3]; /* sites, globals, functions */
void bf_stop_run(int end) __attribute__((noreturn));
struct occurrence;
struct rule *bf_fork_off(const struct occurrence *o); /* forked_runs.c: the rule in the runs that begin here, 0 in the one that goes on */
void bf_met(u32 rule, u32 times);   /* this rule was met so often */
void bf_nondet_give(const u64 *values, u64 n);
void bf_initial(const struct rule *r);
void bf_take_variant(u64 number); /* variants.h */

/* checks.c, which only programs have that are checked for memory errors */
__attribute__((weak)) void bf_checks_start(void *stack_top);
__attribute__((weak)) void bf_checks_allow(u64 check);
__attribute__((weak)) extern const u64 bf_checks_reserved; /* megabytes of address space */

/* fence.c: forbids this process and its children what a run must not do, as `enum fence` says; the calls that are forbidden to runs but not to us */
struct timespec;
void bf_fence(const char *folder, int kind);
int bf_fork(void);
int bf_kill(int process, int signal);
int bf_fchmod(int file, unsigned mode);
int bf_futimens(int file, const struct timespec *times);
int bf_open(const char *path, int flags, unsigned mode);
int bf_unlink(const char *path);
#endif
