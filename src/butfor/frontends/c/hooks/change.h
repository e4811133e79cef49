/* What the hooks have in common: the rule of a site, what the site sees, the values that rules speak of. */
#ifndef BUTFOR_CHANGE_H
#define BUTFOR_CHANGE_H
#include "hooks.h"
#include <string.h>

extern void *const __cf_gtab[], *const __cf_ftab[];

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define QUIET(site) LIKELY(!bf_active[site])

/* What a rule makes of one occurrence: the value to go on with, whether it is another one, whether the machine refuses to compute it. */
struct effect { i64 value; u8 differs, traps; };

/* One occurrence of a site: what its hook was given, doubles as raw bits. */
struct occurrence {
  struct effect (*effect)(const struct occurrence *o, const struct rule *r); /* looks at memory at most */
  u32 site, code; /* code: the operator and bits of an operation, the predicate of a comparison, the bytes of a store */
  i64 value, a, b; /* the value as it is, and both sides of what gives it */
  const u8 *frame, *old;
  u8 is_real, traps; /* as it is */
};

i64 bf_follow(const struct occurrence *o); /* the value to go on with */
struct effect bf_of_int(const struct occurrence *o, const struct rule *r);
struct effect bf_of_real(const struct occurrence *o, const struct rule *r);
i64 bf_operate(u32 operator, i64 a, i64 b, u32 bits, i64 fallback);
double bf_operate_real(u32 operator, double a, double b);

static inline void tick(void) {
  if (--bf_events_left < 0) bf_stop_run(END_LIMIT);
}

static inline struct seen *watch(u32 site) {
  struct seen *s = bf_seen + site;
  if (!s->count++) s->first = bf_events();
  return s;
}

static inline void note(struct seen *s, i64 v) {
  for (u32 i = 0; i < s->nvalues; i++)
    if (s->values[i] == v) return;
  if (s->nvalues < MAX_VALUES) s->values[s->nvalues++] = v;
}

static inline void changed(void) {
  if (!bf_shared->changed++) bf_shared->change_event = bf_events();
}

static inline i64 variable(const u8 *p, u32 bytes) {
  switch (bytes) {
    case 1: return *(const signed char *)p;
    case 2: { int16_t v; memcpy(&v, p, 2); return v; }
    case 4: { int32_t v; memcpy(&v, p, 4); return v; }
    default: { i64 v; memcpy(&v, p, 8); return v; }
  }
}

static inline u64 mask_of(u32 bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

static inline const u8 *place(const struct rule *r, const u8 *frame) {
  return r->op == OP_LOCAL || r->op == OP_RIGHT_LOCAL ? frame + r->a : (const u8 *)__cf_gtab[r->a] + r->b;
}

static inline double real(i64 raw) {
  double d;
  memcpy(&d, &raw, 8);
  return d;
}
static inline i64 raw(double d) {
  i64 r;
  memcpy(&r, &d, 8);
  return r;
}
static inline double real_at(const u8 *p, u32 bytes) {
  float f;
  double d;
  if (bytes == 4) return memcpy(&f, p, 4), f;
  return memcpy(&d, p, 8), d;
}
#endif
