/* Hooks for conditions: each gets how one came out and returns how to go on. */
#include "change.h"

static struct effect condition(const struct occurrence *o, const struct rule *r, int less, int equal) {
  int result = (int)o->value, n = result;
  switch (r->op) {
    case OP_FLIP: n = !result; break;
    case OP_TRUE: n = 1; break;
    case OP_FALSE: n = 0; break;
    case OP_FLIP_EQUAL: n = equal ? !result : result; break;
    case OP_FLIP_LESS: n = less ? !result : result; break;
    case OP_FLIP_GREATER: n = !less && !equal ? !result : result; break;
    default: break;
  }
  return (struct effect){n, n != result, 0};
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

static int is_less(u32 predicate, i64 a, i64 b) { return predicate & 8 ? (u64)a < (u64)b : a < b; }

static struct effect comparison(const struct occurrence *o, const struct rule *r) {
  i64 b = o->b;
  u32 is_unsigned = o->code & 8;
  if (r->op == OP_SHIFT) b = (i64)((u64)b + (u64)r->a);
  else if (r->op == OP_RIGHT_LOCAL || r->op == OP_RIGHT_GLOBAL)
    b = variable(place(r, o->frame), r->bytes) & (i64)(is_unsigned ? mask_of(8 * r->bytes) : ~0ull);
  else if (r->op != OP_RELATION) return condition(o, r, is_less(o->code, o->a, b), o->a == b);
  int n = compare(r->op == OP_RELATION ? (u32)r->a | is_unsigned : o->code, o->a, b);
  return (struct effect){n, n != o->value, 0};
}

int bf_at_c(u32 site, int result, i64 a, i64 b, u32 predicate, const u8 *frame) {
  if (QUIET(site)) return result;
  if (bf_seen) {
    struct seen *s = watch(site);
    s->relations |= (is_less(predicate, a, b) ? 1u : a == b ? 2u : 4u) | (result ? 16u : 8u);
    note(s, (i64)((u64)a - (u64)b));
    return result;
  }
  return (int)bf_follow(&(struct occurrence){comparison, site, predicate, result, a, b, frame});
}

static struct effect comparison_of_reals(const struct occurrence *o, const struct rule *r) {
  double a = real(o->a), b = real(o->b);
  u32 predicate = o->code;
  if (r->op == OP_RELATION) predicate = (u32)r->a;
  else if (r->op == OP_SHIFT) b += real(r->a);
  else if (r->op == OP_RIGHT_LOCAL || r->op == OP_RIGHT_GLOBAL) b = real_at(place(r, o->frame), r->bytes);
  else return condition(o, r, a < b, a == b);
  int all[] = {a == b, a != b, a < b, a <= b, a > b, a >= b}, n = all[predicate % 6];
  return (struct effect){n, n != o->value, 0};
}

int bf_at_cd(u32 site, int result, double a, double b, u32 predicate, const u8 *frame) {
  if (QUIET(site)) return result;
  if (bf_seen) {
    watch(site)->relations |= (a < b ? 1u : a == b ? 2u : 4u) | (result ? 16u : 8u);
    return result;
  }
  return (int)bf_follow(&(struct occurrence){comparison_of_reals, site, predicate, result, raw(a), raw(b), frame});
}

static struct effect truth(const struct occurrence *o, const struct rule *r) { return condition(o, r, 0, 0); }

int bf_at_b(u32 site, int result) {
  if (QUIET(site)) return result;
  if (bf_seen) {
    watch(site)->relations |= result ? 16u : 8u;
    return result;
  }
  return (int)bf_follow(&(struct occurrence){truth, site, .value = result});
}
