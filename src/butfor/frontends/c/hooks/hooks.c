/* The hooks themselves: each gets a value of the program and returns the one to go on with. */
#include "hooks.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

u8 *bf_active;
struct rule *bf_rules;
struct seen *bf_seen;
struct shared *bf_shared;
u64 bf_events, bf_most_events = ~0ull;
extern void *const __cf_gtab[], *const __cf_ftab[];

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define QUIET(site) LIKELY(!bf_active[site])

void bf_stop_run(int end) {
  bf_shared->end = end;
  bf_shared->events = bf_events;
  _exit(120 + end);
}

void __cf_tick(void) {
  if (++bf_events > bf_most_events) bf_stop_run(END_LIMIT);
}

static struct seen *watch(u32 site) {
  struct seen *s = bf_seen + site;
  if (!s->count++) s->first = bf_events;
  return s;
}

static void note(struct seen *s, i64 v) {
  for (u32 i = 0; i < s->nvalues; i++)
    if (s->values[i] == v) return;
  if (s->nvalues < MOST_VALUES) s->values[s->nvalues++] = v;
}

/* The rule of a site if it applies now, else 0. */
static struct rule *rule_of(u32 site) {
  struct rule *r = bf_rules + bf_active[site] - 1;
  static u32 met[256];
  if (r->op == OP_PROBE) return bf_shared->reached++, (struct rule *)0;
  if (r->only && ++met[bf_active[site] - 1] != r->only) return 0;
  return r;
}

static void changed(void) {
  if (!bf_shared->changed++) bf_shared->change_event = bf_events;
}

static i64 variable(const u8 *p, u32 bytes) {
  switch (bytes) {
    case 1: return *(const signed char *)p;
    case 2: { int16_t v; memcpy(&v, p, 2); return v; }
    case 4: { int32_t v; memcpy(&v, p, 4); return v; }
    default: { i64 v; memcpy(&v, p, 8); return v; }
  }
}

static u64 mask_of(u32 bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

static const u8 *place(const struct rule *r, const u8 *frame) {
  return r->op == OP_LOCAL || r->op == OP_RIGHT_LOCAL ? frame + r->a : (const u8 *)__cf_gtab[r->a] + r->b;
}

/* operators: 0 add 1 sub 2 mul 3 sdiv 4 udiv 5 srem 6 urem 7 and 8 or 9 xor 10 shl 11 ashr 12 lshr */
static i64 operate(u32 operator, i64 a, i64 b, u32 bits, i64 fallback) {
  u64 mask = mask_of(bits), ua = (u64)a & mask, ub = (u64)b & mask;
  switch (operator) {
    case 0: return (i64)((u64)a + (u64)b);
    case 1: return (i64)((u64)a - (u64)b);
    case 2: return (i64)((u64)a * (u64)b);
    case 3: return !b || b == -1 ? (b ? (i64)(0 - (u64)a) : fallback) : a / b;
    case 4: return ub ? (i64)(ua / ub) : fallback;
    case 5: return !b ? fallback : b == -1 ? 0 : a % b;
    case 6: return ub ? (i64)(ua % ub) : fallback;
    case 7: return a & b;
    case 8: return a | b;
    case 9: return a ^ b;
    case 10: return ub < bits ? (i64)((u64)a << ub) : fallback;
    case 11: return ub < bits ? a >> ub : fallback;
    default: return ub < bits ? (i64)(ua >> ub) : fallback;
  }
}

static i64 of_int(const struct rule *r, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  i64 n = v;
  switch (r->op) {
    case OP_SET: n = r->a; break;
    case OP_ADD: n = (i64)((u64)v + (u64)r->a); break;
    case OP_NEGATE: n = (i64)(0 - (u64)v); break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = variable(old, bytes); break;
    case OP_COMPOUND: n = operate((u32)r->a, variable(old, bytes), v, 8 * bytes, v); break;
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
  struct rule *r = rule_of(site);
  return r ? of_int(r, v, frame, 0, 0) : v;
}

i64 __cf_si(u32 site, i64 v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), v), v;
  struct rule *r = rule_of(site);
  return r ? of_int(r, v, frame, old, bytes) : v;
}

static double real(i64 raw) {
  double d;
  memcpy(&d, &raw, 8);
  return d;
}
static i64 raw(double d) {
  i64 r;
  memcpy(&r, &d, 8);
  return r;
}
static double real_at(const u8 *p, u32 bytes) {
  float f;
  double d;
  if (bytes == 4) return memcpy(&f, p, 4), f;
  return memcpy(&d, p, 8), d;
}

/* operators: 0 add 1 sub 2 mul 3 div */
static double operate_real(u32 operator, double a, double b) { return operator == 0 ? a + b : operator == 1 ? a - b : operator == 2 ? a * b : a / b; }

static double of_real(const struct rule *r, double v, const u8 *frame, const u8 *old, u32 bytes) {
  double n = v;
  switch (r->op) {
    case OP_SET: n = real(r->a); break;
    case OP_ADD: n = v + real(r->a); break;
    case OP_NEGATE: n = -v; break;
    case OP_NOT: n = !v; break;
    case OP_KEEP: n = real_at(old, bytes); break;
    case OP_COMPOUND: n = operate_real((u32)r->a, real_at(old, bytes), v); break;
    case OP_LOCAL: case OP_GLOBAL: n = real_at(place(r, frame), r->bytes); break;
    default: break;
  }
  if (raw(n) != raw(v)) changed();
  return n;
}

double __cf_d(u32 site, double v, const u8 *frame) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = rule_of(site);
  return r ? of_real(r, v, frame, 0, 0) : v;
}

double __cf_sd(u32 site, double v, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site)) return v;
  if (bf_seen) return note(watch(site), raw(v)), v;
  struct rule *r = rule_of(site);
  return r ? of_real(r, v, frame, old, bytes) : v;
}

/* ---- conditions ------------------------------------------------------------------------------------------------------ */

static int condition(int op, int result, int less, int equal) {
  int n = result;
  switch (op) {
    case OP_FLIP: n = !result; break;
    case OP_TRUE: n = 1; break;
    case OP_FALSE: n = 0; break;
    case OP_FLIP_EQUAL: n = equal ? !result : result; break;
    case OP_FLIP_LESS: n = less ? !result : result; break;
    case OP_FLIP_GREATER: n = !less && !equal ? !result : result; break;
    default: break;
  }
  if (n != result) changed();
  return n;
}

/* predicates: 0 eq 1 ne 2 less 3 less or equal 4 greater 5 greater or equal; +8 unsigned */
static int compare(u32 predicate, i64 a, i64 b) {
  int less = predicate & 8 ? (u64)a < (u64)b : a < b;
  switch (predicate & 7) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return less;
    case 3: return less || a == b;
    case 4: return !less && a != b;
    default: return !less;
  }
}

int __cf_c(u32 site, int result, i64 a, i64 b, u32 predicate, const u8 *frame) {
  __cf_tick();
  if (QUIET(site)) return result;
  int less = predicate & 8 ? (u64)a < (u64)b : a < b;
  if (bf_seen) {
    struct seen *s = watch(site);
    s->relations |= (less ? 1u : a == b ? 2u : 4u) | (result ? 16u : 8u);
    note(s, (i64)((u64)a - (u64)b));
    return result;
  }
  struct rule *r = rule_of(site);
  if (!r) return result;
  if (r->op == OP_SHIFT) b = (i64)((u64)b + (u64)r->a);
  else if (r->op == OP_RIGHT_LOCAL || r->op == OP_RIGHT_GLOBAL) b = variable(place(r, frame), r->bytes) & (predicate & 8 ? mask_of(8 * r->bytes) : ~0ull);
  else if (r->op != OP_RELATION) return condition(r->op, result, less, a == b);
  int n = compare(r->op == OP_RELATION ? (u32)r->a | (predicate & 8) : predicate, a, b);
  if (n != result) changed();
  return n;
}

int __cf_cd(u32 site, int result, double a, double b, u32 predicate, const u8 *frame) {
  __cf_tick();
  if (QUIET(site)) return result;
  if (bf_seen) {
    watch(site)->relations |= (a < b ? 1u : a == b ? 2u : 4u) | (result ? 16u : 8u);
    return result;
  }
  struct rule *r = rule_of(site);
  if (!r) return result;
  if (r->op == OP_RELATION) predicate = (u32)r->a;
  else if (r->op == OP_SHIFT) b += real(r->a);
  else if (r->op == OP_RIGHT_LOCAL || r->op == OP_RIGHT_GLOBAL) b = real_at(place(r, frame), r->bytes);
  else return condition(r->op, result, a < b, a == b);
  int all[] = {a == b, a != b, a < b, a <= b, a > b, a >= b}, n = all[predicate % 6];
  if (n != result) changed();
  return n;
}

int __cf_b(u32 site, int result) {
  __cf_tick();
  if (QUIET(site)) return result;
  if (bf_seen) {
    watch(site)->relations |= result ? 16u : 8u;
    return result;
  }
  struct rule *r = rule_of(site);
  return r ? condition(r->op, result, 0, 0) : result;
}

/* ---- operations ------------------------------------------------------------------------------------------------------ */

static i64 cut(i64 v, u32 bits) { return bits >= 64 ? v : (i64)((u64)v << (64 - bits)) >> (64 - bits); }

static int traps(u32 operator, i64 a, i64 b, u32 bits) {
  if (operator < 3 || operator > 6) return 0;
  return !((u64)b & mask_of(bits)) || (operator % 2 && b == -1 && a == cut((i64)(1ull << (bits - 1)), bits));
}

/* The divisor of a division that has a rule: one that does not end the run before the rule is looked at. code: operator << 8 | bits */
i64 __cf_z(u32 site, i64 a, i64 b, u32 code) {
  if (QUIET(site) || !traps(code >> 8, a, b, code & 255)) return b;
  if (bf_seen) return watch(site), b;
  return 1;
}

i64 __cf_o(u32 site, i64 result, i64 a, i64 b, u32 code, const u8 *frame) {
  if (QUIET(site)) return result;
  u32 operator = code >> 8, bits = code & 255;
  if (bf_seen) return note(watch(site), result), result;
  struct rule *r = rule_of(site);
  int trapped = traps(operator, a, b, bits);
  if (!r && trapped) raise(SIGFPE);
  if (!r) return result;
  i64 n = result;
  switch (r->op) {
    case OP_OPERATOR: operator = (u32)r->a; break;
    case OP_RIGHT: b = cut((i64)((u64)b + (u64)r->a), bits); break;
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: b = variable(place(r, frame), r->bytes); break;
    case OP_SWAP: n = a, a = b, b = n; break;
    case OP_ONLY_LEFT: case OP_ONLY_RIGHT:
      n = r->op == OP_ONLY_LEFT ? a : b;
      if (trapped || n != result) changed();
      return n;
    default:
      n = of_int(r, result, frame, 0, 0);
      if (trapped && n == result) changed();
      return n;
  }
  if (traps(operator, a, b, bits)) raise(SIGFPE);
  n = cut(operate(operator, a, b, bits, result), bits);
  if (trapped || n != result) changed();
  return n;
}

double __cf_od(u32 site, double result, double a, double b, u32 operator, const u8 *frame) {
  if (QUIET(site)) return result;
  if (bf_seen) return note(watch(site), raw(result)), result;
  struct rule *r = rule_of(site);
  if (!r) return result;
  double n = result;
  switch (r->op) {
    case OP_OPERATOR: n = operate_real((u32)r->a, a, b); break;
    case OP_RIGHT: n = operate_real(operator, a, b + real(r->a)); break;
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: n = operate_real(operator, a, real_at(place(r, frame), r->bytes)); break;
    case OP_ONLY_LEFT: n = a; break;
    case OP_ONLY_RIGHT: n = b; break;
    case OP_SWAP: n = operate_real(operator, b, a); break;
    default: return of_real(r, result, frame, 0, 0);
  }
  if (raw(n) != raw(result)) changed();
  return n;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

__asm__(".text\n.globl bf_nothing\nbf_nothing:\n  xorl %eax, %eax\n  xorl %edx, %edx\n  xorps %xmm0, %xmm0\n  xorps %xmm1, %xmm1\n  ret\n");
extern char bf_nothing[];

void *__cf_f(u32 site, void *function) {
  __cf_tick();
  if (QUIET(site)) return function;
  if (bf_seen) return watch(site), function;
  struct rule *r = rule_of(site);
  if (!r) return function;
  changed();
  return r->op == OP_SKIP ? (void *)bf_nothing : r->op == OP_CALL ? __cf_ftab[r->a] : function;
}
