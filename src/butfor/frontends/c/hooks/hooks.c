/* Hooks for values and calls: each gets a value of the program and returns the one to go on with. */
#include "change.h"
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

void __cf_tick(void) { tick(); }

struct rule *bf_rule_of(u32 site) {
  struct rule *r = bf_rules + bf_active[site] - 1;
  static u32 met[256];
  bf_applied = 0;
  bf_changed_before = bf_shared->changed;
  if (r->op == OP_PROBE) return bf_shared->reached++, (struct rule *)0;
  if (r->only && ++met[bf_active[site] - 1] != r->only) return 0;
  return bf_applied = r;
}

i64 bf_of_int(const struct rule *r, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  i64 n = v;
  switch (r->op) {
    case OP_SET: n = r->a; break;
    case OP_ADD: n = (i64)((u64)v + (u64)r->a); break;
    case OP_NEGATE: n = (i64)(0 - (u64)v); break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = variable(old, bytes); break;
    case OP_COMPOUND: n = bf_operate((u32)r->a, variable(old, bytes), v, 8 * bytes, v); break;
    case OP_PLUS_LOCAL: n = (i64)((u64)v + (u64)r->b * (u64)variable(frame + r->a, r->bytes)); break;
    case OP_ADDRESS_LOCAL: n = (i64)(frame + r->a); break;
    case OP_ADDRESS_GLOBAL: n = (i64)__cf_gtab[r->a]; break;
    case OP_LOCAL: case OP_GLOBAL: n = variable(place(r, frame), r->bytes); break;
    default: break;
  }
  if (n != v) changed();
  return n;
}

void bf_initial(const struct rule *r) {
  u8 *p = (u8 *)__cf_gtab[r->only] + r->b;
  u64 page = (u64)p & ~4095ull;
  mprotect((void *)page, (u64)p + r->bytes - page, PROT_READ | PROT_WRITE);
  u64 v = 0;
  memcpy(&v, p, r->bytes);
  v += (u64)r->a;
  memcpy(p, &v, r->bytes);
  changed();
}

i64 __cf_i(u32 site, i64 v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_int(r, v, frame, 0, 0) : v;
}

i64 __cf_si(u32 site, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_int(r, v, frame, old, bytes) : v;
}

double bf_of_real(const struct rule *r, double v, const u8 *frame, const u8 *old, u32 bytes) {
  double n = v;
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

double __cf_d(u32 site, double v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_real(r, v, frame, 0, 0) : v;
}

double __cf_sd(u32 site, double v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = bf_rule_of(site);
  return r ? bf_of_real(r, v, frame, old, bytes) : v;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

__asm__(".text\n.globl bf_nothing\nbf_nothing:\n  xorl %eax, %eax\n  xorl %edx, %edx\n  xorps %xmm0, %xmm0\n  xorps %xmm1, %xmm1\n  ret\n");
extern char bf_nothing[];

void *__cf_f(u32 site, void *function) {
  tick();
  if (QUIET(site)) return function;
  if (bf_seen) return watch(site), function;
  struct rule *r = bf_rule_of(site);
  if (!r) return function;
  changed();
  return r->op == OP_SKIP ? (void *)bf_nothing : r->op == OP_CALL ? __cf_ftab[r->a] : function;
}
