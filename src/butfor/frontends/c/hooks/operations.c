/* Hooks for operations: each gets the result and both sides and returns the result to go on with. */
#include "change.h"
#include <signal.h>

/* operators: 0 add 1 sub 2 mul 3 sdiv 4 udiv 5 srem 6 urem 7 and 8 or 9 xor 10 shl 11 ashr 12 lshr */
i64 bf_operate(u32 operator, i64 a, i64 b, u32 bits, i64 fallback) {
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

/* operators: 0 add 1 sub 2 mul 3 div */
double bf_operate_real(u32 operator, double a, double b) { return operator == 0 ? a + b : operator == 1 ? a - b : operator == 2 ? a * b : a / b; }

static i64 cut(i64 v, u32 bits) { return bits >= 64 ? v : (i64)((u64)v << (64 - bits)) >> (64 - bits); }

static int traps(u32 operator, i64 a, i64 b, u32 bits) {
  if (operator < 3 || operator > 6) return 0;
  return !((u64)b & mask_of(bits)) || (operator % 2 && b == -1 && a == cut((i64)(1ull << (bits - 1)), bits));
}

/* The divisor of a division that has a rule: one that does not end the run before the rule is looked at. code: operator << 8 | bits */
i64 __cf_at_z(u32 site, i64 a, i64 b, u32 code) {
  if (QUIET(site) || !traps(code >> 8, a, b, code & 255)) return b;
  if (bf_seen) return watch(site), b;
  return 1;
}

void __cf_unreachable(void) { raise(SIGILL); }

/* Whether a rule starts from the value as it is. */
static int is_relative(u32 op) { return op == OP_ADD || op == OP_NEGATE || op == OP_NOT || op == OP_PLUS_LOCAL; }

static struct effect operation(const struct occurrence *o, const struct rule *r) {
  u32 operator = o->code >> 8, bits = o->code & 255;
  i64 a = o->a, b = o->b;
  struct effect e;
  switch (r->op) {
    case OP_OPERATOR: operator = (u32)r->a; break;
    case OP_RIGHT: b = cut((i64)((u64)b + (u64)r->a), bits); break;
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: b = variable(place(r, o->frame), r->bytes); break;
    case OP_SWAP: a = o->b, b = o->a; break;
    case OP_ONLY_LEFT: return (struct effect){a, o->traps || a != o->value, 0};
    case OP_ONLY_RIGHT: return (struct effect){b, o->traps || b != o->value, 0};
    default:
      if (o->traps && is_relative(r->op)) return (struct effect){o->value, 0, 1}; /* a division by zero has no value that could be one more */
      e = bf_of_int(o, r);
      e.differs |= o->traps;
      return e;
  }
  i64 n = cut(bf_operate(operator, a, b, bits, o->value), bits);
  int trapping = traps(operator, a, b, bits);
  return (struct effect){n, o->traps ? !trapping : trapping || n != o->value, (u8)trapping};
}

i64 bf_at_o(u32 site, i64 result, i64 a, i64 b, u32 code, const u8 *frame) {
  if (QUIET(site)) return result;
  if (bf_seen) return note(watch(site), result), result;
  return bf_follow(&(struct occurrence){operation, site, code, result, a, b, frame, .traps = (u8)traps(code >> 8, a, b, code & 255)});
}

static struct effect operation_on_reals(const struct occurrence *o, const struct rule *r) {
  double a = real(o->a), b = real(o->b), n;
  switch (r->op) {
    case OP_OPERATOR: n = bf_operate_real((u32)r->a, a, b); break;
    case OP_RIGHT: n = bf_operate_real(o->code, a, b + real(r->a)); break;
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: n = bf_operate_real(o->code, a, real_at(place(r, o->frame), r->bytes)); break;
    case OP_ONLY_LEFT: n = a; break;
    case OP_ONLY_RIGHT: n = b; break;
    case OP_SWAP: n = bf_operate_real(o->code, b, a); break;
    default: return bf_of_real(o, r);
  }
  return (struct effect){raw(n), raw(n) != o->value, 0};
}

double bf_at_od(u32 site, double result, double a, double b, u32 operator, const u8 *frame) {
  if (QUIET(site)) return result;
  if (bf_seen) return note(watch(site), raw(result)), result;
  return real(bf_follow(&(struct occurrence){operation_on_reals, site, operator, raw(result), raw(a), raw(b), frame, .is_real = 1}));
}
