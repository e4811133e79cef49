/* Hooks for values and calls: each gets a value of the program and returns the one to go on with. */
#include "change.h"
#include "runs.h"
#include <sys/mman.h>
#include <unistd.h>

u8 *bf_active;
struct rule *bf_rules;
struct seen *bf_seen;
struct shared *bf_shared;
struct rule *bf_applied;
u32 bf_changed_before;
u64 bf_events, bf_most_events = ~0ull;

void bf_stop_run(int end) {
  bf_shared->end = end;
  bf_shared->events = bf_events;
  _exit(120 + end);
}

void __cf_too_long(void) { bf_stop_run(END_LIMIT); }

static u32 met[MAX_RULES];
void bf_met(u32 rule, u32 times) { met[rule] = times; }

struct rule *bf_rule_of(u32 site) {
  u32 first = bf_active[site] - 1u;
  bf_applied = 0;
  bf_changed_before = bf_shared->changed;
  if (bf_active[site] == ARMED) return bf_fork_off(site);
  met[first]++;
  for (struct rule *r = bf_rules + first; r->site == site; r++)
    if (r->op == OP_PROBE) bf_shared->reached++;
    else if (!r->only || r->only == met[first]) return bf_applied = r;
  return 0;
}

static void write_to(u8 *p, i64 v, u32 bytes) {
  u64 page = (u64)p & ~4095ull;
  mprotect((void *)page, (u64)p + bytes - page, PROT_READ | PROT_WRITE); /* it may be a constant */
  memcpy(p, &v, bytes);
  changed();
}

/* Where the variable is that a rule assigns, now with its new value. */
static const u8 *assigned(const struct rule *r, const u8 *frame) {
  u8 *p = r->op == OP_ASSIGN_LOCAL ? (u8 *)frame + r->a : (u8 *)__cf_gtab[(u32)r->a] + ((u64)r->a >> 32);
  write_to(p, r->b, r->bytes % OWN_VALUE);
  return p;
}

i64 bf_of_int(const struct rule *r, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  i64 n = v;
  if (r->op == OP_ASSIGN_LOCAL || r->op == OP_ASSIGN_GLOBAL) {
    const u8 *p = assigned(r, frame);
    return r->bytes & OWN_VALUE ? variable(p, r->bytes % OWN_VALUE) : v;
  }
  switch (r->op) {
    case OP_SET: n = r->a; break;
    case OP_ADD: n = (i64)((u64)v + (u64)r->a); break;
    case OP_NEGATE: n = (i64)(0 - (u64)v); break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = variable(old, bytes); break;
    case OP_COMPOUND: n = bf_operate((u32)r->a, variable(old, bytes), v, 8 * bytes, v); break;
    case OP_PLUS_LOCAL: n = (i64)((u64)v + (u64)r->b * (u64)variable(frame + r->a, r->bytes)); break;
    case OP_ADDRESS_LOCAL: n = (i64)(frame + r->a); break;
    case OP_ADDRESS_GLOBAL: n = (i64)__cf_gtab[r->a] + r->b; break;
    case OP_LOCAL: case OP_GLOBAL: n = variable(place(r, frame), r->bytes); break;
    default: break;
  }
  if (n != v) changed();
  return n;
}

void bf_initial(const struct rule *r) {
  u8 *p = (u8 *)__cf_gtab[r->only] + r->b;
  u64 v = 0;
  memcpy(&v, p, r->bytes);
  write_to(p, (i64)(v + (u64)r->a), r->bytes);
}

i64 __cf_at_i(u32 site, i64 v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_int(r, v, frame, 0, 0) : v;
}

i64 __cf_at_si(u32 site, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_int(r, v, frame, old, bytes) : v;
}

double bf_of_real(const struct rule *r, double v, const u8 *frame, const u8 *old, u32 bytes) {
  double n = v;
  if (r->op == OP_ASSIGN_LOCAL || r->op == OP_ASSIGN_GLOBAL) {
    const u8 *p = assigned(r, frame);
    return r->bytes & OWN_VALUE ? real_at(p, r->bytes % OWN_VALUE) : v;
  }
  switch (r->op) {
    case OP_SET: n = real(r->a); break;
    case OP_ADD: n = v + real(r->a); break;
    case OP_NEGATE: n = -v; break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = real_at(old, bytes); break;
    case OP_COMPOUND: n = bf_operate_real((u32)r->a, real_at(old, bytes), v); break;
    case OP_PLUS_LOCAL: n = v + (double)r->b * real_at(frame + r->a, r->bytes); break;
    case OP_LOCAL: case OP_GLOBAL: n = real_at(place(r, frame), r->bytes); break;
    default: break;
  }
  if (raw(n) != raw(v)) changed();
  return n;
}

double __cf_at_d(u32 site, double v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_real(r, v, frame, 0, 0) : v;
}

double __cf_at_sd(u32 site, double v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_real(r, v, frame, old, bytes) : v;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

__asm__(".text\n.globl bf_nothing\nbf_nothing:\n  xorl %eax, %eax\n  xorl %edx, %edx\n  xorps %xmm0, %xmm0\n  xorps %xmm1, %xmm1\n  ret\n");
extern char bf_nothing[];

void *__cf_at_f(u32 site, void *function) {
  if (QUIET(site)) return function;
  if (bf_seen) return watch(site), function;
  struct rule *r = bf_rule_of(site);
  if (!r) return function;
  changed();
  return r->op == OP_SKIP ? (void *)bf_nothing : r->op == OP_CALL ? __cf_ftab[r->a] : function;
}
