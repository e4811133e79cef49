/* What a rule does to what is known of a value besides the value: its undefined bits, and the object that a pointer points into. */
#include "change.h"
#include "checks.h"

static i64 full_if(i64 any) { return any ? ~0ll : 0; }
static i64 undefined_at(const u8 *p, u32 bytes) { return full_if(bf_is_undefined(p, bytes)); }

/* left, right: undefined bits of both sides of an operation or a comparison; old: where a store goes */
i64 __cf_at_m(u32 site, i64 mask, i64 left, i64 right, const u8 *frame, const u8 *old, u32 bytes) {
  if (QUIET(site) || bf_seen || !bf_applied) return mask;
  const struct rule *r = bf_applied;
  i64 n = mask;
  switch (r->op) {
    case OP_SET: case OP_TRUE: case OP_FALSE: case OP_ADDRESS_LOCAL: case OP_ADDRESS_GLOBAL: n = 0; break;
    case OP_KEEP:
      n = 0;
      memcpy(&n, undef(old), bytes < 8 ? bytes : 8);
      break;
    case OP_COMPOUND: n = full_if(mask) | undefined_at(old, bytes); break;
    case OP_LOCAL: case OP_GLOBAL: n = undefined_at(place(r, frame), r->bytes); break;
    case OP_PLUS_LOCAL: n = full_if(mask) | undefined_at(frame + r->a, r->bytes); break;
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: n = full_if(left) | undefined_at(place(r, frame), r->bytes); break;
    case OP_ONLY_LEFT: n = left; break;
    case OP_ONLY_RIGHT: n = right; break;
    case OP_FLIP: break;
    default: n = full_if(mask | left | right); break;
  }
  if (n != mask && bf_shared->changed == bf_changed_before) changed();
  return n;
}

static int overflows(u32 operator, i64 a, i64 b, u32 bits, int is_signed) {
  __int128 exact = operator == 0 ? (__int128)a + b : operator == 1 ? (__int128)a - b : operator == 2 ? (__int128)a * b : 0;
  if (operator >= 10) return ((u64)b & mask_of(bits)) >= bits;
  return is_signed && operator <= 2 && (exact >> (bits - 1) != 0 && exact >> (bits - 1) != -1);
}

/* Whether an operation goes wrong: as the program has it, or as the rule that was applied to it has it. code: operator << 8 | bits */
int __cf_at_e(u32 site, int is_wrong, i64 a, i64 b, u32 code, int is_signed, const u8 *frame) {
  if (QUIET(site) || bf_seen || !bf_applied) return is_wrong;
  const struct rule *r = bf_applied;
  u32 operator = code >> 8, bits = code & 255;
  i64 result = bf_operate(operator, a, b, bits, 0);
  switch (r->op) {
    case OP_OPERATOR: return overflows((u32)r->a, a, b, bits, is_signed);
    case OP_RIGHT: return overflows(operator, a, b + r->a, bits, is_signed);
    case OP_RIGHT_LOCAL: case OP_RIGHT_GLOBAL: return overflows(operator, a, variable(place(r, frame), r->bytes), bits, is_signed);
    case OP_SWAP: return overflows(operator, b, a, bits, is_signed);
    case OP_ADD: return is_wrong || overflows(0, result, r->a, bits, is_signed);
    case OP_NEGATE: return is_wrong || overflows(1, 0, result, bits, is_signed);
    case OP_PLUS_LOCAL: return is_wrong || overflows(r->b < 0 ? 1 : 0, result, variable(frame + r->a, r->bytes), bits, is_signed);
    default: return 0; /* another value instead of the operation */
  }
}

u32 __cf_at_pv(u32 site, u32 o, const u8 *frame, const u8 *old) {
  if (QUIET(site) || bf_seen || !bf_applied) return o;
  const struct rule *r = bf_applied;
  switch (r->op) {
    case OP_SET: return BF_LOOKUP;
    case OP_KEEP: return bf_pointed(old);
    case OP_LOCAL: case OP_GLOBAL: return r->bytes == 8 ? bf_pointed(place(r, frame)) : BF_LOOKUP;
    case OP_ADDRESS_GLOBAL: return bf_lookup(__cf_gtab[r->a]) & ~BF_WEAK;
    case OP_ADDRESS_LOCAL: {
      u32 k = bf_lookup(frame + r->a);
      if (k == BF_NOPROV && r->bytes) { /* its address was not taken anywhere else */
        k = bf_new_object((u8 *)frame + r->a, r->bytes, OB_STACK, 0);
        if (k) bf_ostack[bf_osp++] = k;
      }
      return k & ~BF_WEAK;
    }
    default: return o;
  }
}
