/* Hooks for values and calls: each gets a value of the program and returns the one to go on with. */
#include "change.h"
#include "runs.h"
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

struct rule *bf_rules;
struct seen *bf_seen;
struct shared *bf_shared;
struct rule *bf_applied;
u32 bf_changed_before;
i64 bf_events_left = INT64_MAX, bf_most_events = INT64_MAX;

void bf_stop_run(int end) {
  bf_shared->end = end;
  bf_shared->events = bf_events();
  _exit(120 + end);
}

void __cf_too_long(void) { bf_stop_run(END_LIMIT); }

static u32 met[MAX_RULES];
void bf_met(u32 rule, u32 times) { met[rule] = times; }

/* The rule of a site if it applies now, else 0. */
static struct rule *rule_of(const struct occurrence *o) {
  u32 first = bf_active[o->site] - 1u;
  bf_applied = 0;
  bf_changed_before = bf_shared->changed;
  if (bf_active[o->site] == ARMED) return bf_fork_off(o);
  met[first]++;
  for (struct rule *r = bf_rules + first; r->site == o->site; r++)
    if (r->op == OP_PROBE) bf_shared->reached++;
    else if (bf_shared->followed++, !r->only || r->only == met[first]) return bf_applied = r;
  return 0;
}

static void write_to(u8 *p, i64 v, u32 bytes) {
  u64 page = (u64)p & ~4095ull;
  mprotect((void *)page, (u64)p + bytes - page, PROT_READ | PROT_WRITE); /* it may be a constant */
  memcpy(p, &v, bytes);
  changed();
}

static i64 assign(const struct occurrence *o, const struct rule *r) {
  u8 *p = r->op == OP_ASSIGN_LOCAL ? (u8 *)o->frame + r->a : (u8 *)__cf_gtab[(u32)r->a] + ((u64)r->a >> 32);
  u32 bytes = r->bytes % OWN_VALUE;
  write_to(p, r->b, bytes);
  if (!(r->bytes & OWN_VALUE)) {
    if (o->traps) raise(SIGFPE);
    return o->value;
  }
  return o->is_real ? raw(real_at(p, bytes)) : variable(p, bytes);
}

i64 bf_follow(const struct occurrence *o) {
  const struct rule *r = rule_of(o);
  if (r && (r->op == OP_ASSIGN_LOCAL || r->op == OP_ASSIGN_GLOBAL)) return assign(o, r);
  struct effect e = r ? o->effect(o, r) : (struct effect){o->value, 0, o->traps};
  if (e.traps) raise(SIGFPE);
  if (e.differs) changed();
  return e.value;
}

struct effect bf_of_int(const struct occurrence *o, const struct rule *r) {
  i64 v = o->value, n = v;
  switch (r->op) {
    case OP_SET: n = r->a; break;
    case OP_ADD: n = (i64)((u64)v + (u64)r->a); break;
    case OP_NEGATE: n = (i64)(0 - (u64)v); break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = variable(o->old, o->code); break;
    case OP_COMPOUND: n = bf_operate((u32)r->a, variable(o->old, o->code), v, 8 * o->code, v); break;
    case OP_PLUS_LOCAL: n = (i64)((u64)v + (u64)r->b * (u64)variable(o->frame + r->a, r->bytes)); break;
    case OP_ADDRESS_LOCAL: n = (i64)(o->frame + r->a); break;
    case OP_ADDRESS_GLOBAL: n = (i64)__cf_gtab[r->a] + r->b; break;
    case OP_LOCAL: case OP_GLOBAL: n = variable(place(r, o->frame), r->bytes); break;
    default: break;
  }
  return (struct effect){n, n != v, 0};
}

void bf_initial(const struct rule *r) {
  u8 *p = (u8 *)__cf_gtab[r->only] + r->b;
  u64 v = 0;
  memcpy(&v, p, r->bytes);
  write_to(p, (i64)(v + (u64)r->a), r->bytes);
}

i64 bf_at_i(u32 site, i64 v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  return bf_follow(&(struct occurrence){bf_of_int, site, .value = v, .frame = frame});
}

i64 bf_at_si(u32 site, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  return bf_follow(&(struct occurrence){bf_of_int, site, bytes, v, .frame = frame, .old = old});
}

struct effect bf_of_real(const struct occurrence *o, const struct rule *r) {
  double v = real(o->value), n = v;
  switch (r->op) {
    case OP_SET: n = real(r->a); break;
    case OP_ADD: n = v + real(r->a); break;
    case OP_NEGATE: n = -v; break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = real_at(o->old, o->code); break;
    case OP_COMPOUND: n = bf_operate_real((u32)r->a, real_at(o->old, o->code), v); break;
    case OP_PLUS_LOCAL: n = v + (double)r->b * real_at(o->frame + r->a, r->bytes); break;
    case OP_LOCAL: case OP_GLOBAL: n = real_at(place(r, o->frame), r->bytes); break;
    default: break;
  }
  return (struct effect){raw(n), raw(n) != o->value, 0};
}

double bf_at_d(u32 site, double v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  return real(bf_follow(&(struct occurrence){bf_of_real, site, .value = raw(v), .frame = frame, .is_real = 1}));
}

double bf_at_sd(u32 site, double v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  return real(bf_follow(&(struct occurrence){bf_of_real, site, bytes, raw(v), .frame = frame, .old = old, .is_real = 1}));
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

__asm__(".text\n.globl bf_nothing\nbf_nothing:\n  xorl %eax, %eax\n  xorl %edx, %edx\n  xorps %xmm0, %xmm0\n  xorps %xmm1, %xmm1\n  ret\n");
extern char bf_nothing[];

static struct effect call(const struct occurrence *o, const struct rule *r) {
  return (struct effect){r->op == OP_SKIP ? (i64)bf_nothing : r->op == OP_CALL ? (i64)__cf_ftab[r->a] : o->value, 1, 0};
}

void *bf_at_f(u32 site, void *function) {
  if (QUIET(site)) return function;
  if (bf_seen) return watch(site), function;
  return (void *)bf_follow(&(struct occurrence){call, site, .value = (i64)function});
}
