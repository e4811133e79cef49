/* Objects: where each begins, how long it is, whether it still lives; and the check of an access against the object it was meant for. Programs
   that record themselves and programs that are only checked (checks/) share this; what either notes of it is its own. */
#include "rt_log.h"
#include "rt_shadow.h"

#define MAX_OBJECTS (1u << 27)

struct object *bf_objects;
u32 bf_nobjects;
static u8 **global_order; /* starts of globals, ascending, with their numbers beside them */
static u32 *global_number, globals;
extern u8 *bf_stack_top;

extern const struct { u8 *p; u64 n; } __bf_gtab[];
extern const u64 __bf_counts[4];

u32 bf_new_object(u8 *p, u64 size, int kind, u32 site) {
  if (bf_nobjects >= MAX_OBJECTS - 1) return BF_NOPROV;
  u32 o = bf_nobjects++;
  bf_objects[o] = (struct object){p, size, size, (u8)kind, 0};
  bf_note_object(p, size, kind, site);
  return o;
}

void bf_objects_start(void) {
  bf_objects = bf_reserve(sizeof(struct object) * (u64)MAX_OBJECTS);
  bf_new_object(0, 0, 0, 0); /* number 0 means: none, and allows everything */
  bf_objects[0].room = ~0ull;
  u64 n = __bf_counts[0];
  global_order = bf_reserve(8 * (n + 1));
  global_number = bf_reserve(4 * (n + 1));
  for (u64 i = 0; i < n; i++) {
    u32 o = bf_new_object(__bf_gtab[i].p, __bf_gtab[i].n, OB_GLOBAL, (u32)i);
    if (!__bf_gtab[i].n) continue;
    u32 k = globals++;
    for (; k && global_order[k - 1] > __bf_gtab[i].p; k--) {
      global_order[k] = global_order[k - 1];
      global_number[k] = global_number[k - 1];
    }
    global_order[k] = __bf_gtab[i].p;
    global_number[k] = o;
  }
}

static u32 global_at(const u8 *p) {
  u32 lo = 0, hi = globals;
  while (lo < hi) {
    u32 mid = (lo + hi) / 2;
    if (global_order[mid] <= p) lo = mid + 1;
    else hi = mid;
  }
  if (!lo) return 0;
  u32 o = global_number[lo - 1];
  return (u64)p - (u64)bf_objects[o].start <= bf_objects[o].size ? o : 0;
}

/* The live heap object whose cell an address is in, or 0. In a freed block libc may have made one of its own, unseen: an entry of a folder, a stream. */
static u32 heap_object_at(const u8 *p) {
  u32 o = *heap_map(p);
  return bf_objects[o].dead ? 0 : o;
}

u32 bf_lookup(const void *q) {
  const u8 *p = q;
  u32 o = heap_object_at(p);
  if (o && (u64)p - (u64)bf_objects[o].start < bf_objects[o].size + 16) return o | BF_WEAK;
  if ((o = global_at(p))) return o | BF_WEAK;
  for (u32 i = bf_osp; i; i--) {
    struct object *s = &bf_objects[bf_ostack[i - 1]];
    if ((u64)p - (u64)s->start < s->size) return bf_ostack[i - 1] | BF_WEAK;
  }
  return BF_NOPROV;
}

u32 bf_arg(int i, const void *p) {
  u32 o = __bf_args_set && i < 16 ? __bf_argp[i] : BF_LOOKUP;
  return o == BF_LOOKUP ? bf_lookup(p) : o;
}

void bf_report(int kind, const void *p, u64 n, u32 object, int is_write) {
  bf_note_error(kind, p, n, object & ~BF_WEAK, is_write);
}

void bf_check(const void *q, u64 n, u32 o, int is_write) {
  const u8 *p = q;
  if (!n || o == BF_NOPROV) return;
  if (o == BF_LOOKUP) o = bf_lookup(p);
  u32 k = o & ~BF_WEAK;
  if (!k || k >= bf_nobjects) return;
  struct object *b = &bf_objects[k];
  u64 off = (u64)p - (u64)b->start;
  int inside = off < b->size && off + n <= b->size;
  if (o & BF_WEAK) { /* by address only: a neighbour may have been meant, so only what no live object can explain is an error */
    if (b->kind == OB_HEAP && !b->dead && off < b->size && off + n > b->size) bf_report(ER_BOUNDS, p, n, k, is_write);
    return;
  }
  if (b->dead) bf_report(b->kind == OB_HEAP ? ER_FREED : b->dead == OUT_OF_SCOPE ? ER_SCOPE : ER_RETURNED, p, n, k, is_write);
  else if (!inside) bf_report(ER_BOUNDS, p, n, k, is_write);
}

/* Whether an address on the stack is in a variable; the rest of it holds what the compiler keeps there, arguments for instance. */
static int in_variable(const u8 *p) {
  for (struct live_frame *f = bf_frame; f->id != ~0u && p >= f->base; f--)
    if ((u64)(p - f->base) < f->size) return 1;
  for (u32 i = bf_osp; i; i--) {
    struct object *o = &bf_objects[bf_ostack[i - 1]];
    if ((u64)p - (u64)o->start < o->room) return 1;
  }
  return 0;
}

int bf_never_written(const u8 *p) {
  u32 o = heap_object_at(p);
  if (o && (u64)p - (u64)bf_objects[o].start < bf_objects[o].size) return RD_UNINIT;
  if (global_at(p)) return RD_INITIAL;
  u8 here;
  return p < bf_stack_top && p > &here && in_variable(p) ? RD_UNINIT : RD_FOREIGN;
}

u32 bf_born(void *q, u64 n, int zeroed) {
  u8 *p = q;
  if (!p) return BF_NOPROV;
  u32 o = bf_new_object(p, n, OB_HEAP, ~0u);
  for (u64 i = 0; i < n; i += 16) *heap_map(p + i) = o;
  bf_note_birth(p, n, zeroed);
  return o;
}

void bf_died(u32 o) {
  o &= ~BF_WEAK;
  if (!o || o >= bf_nobjects) return;
  bf_bury(&bf_objects[o]);
  bf_note_death(o);
}
u64 bf_object_size(u32 o) { return bf_objects[o & ~BF_WEAK].size; }
void *bf_object_start(u32 o) { return bf_objects[o & ~BF_WEAK].start; }
int bf_object_dead(u32 o) { return bf_objects[o & ~BF_WEAK].dead; }
int bf_object_kind(u32 o) { return bf_objects[o & ~BF_WEAK].kind; }
