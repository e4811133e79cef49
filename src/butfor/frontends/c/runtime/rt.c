/* The recording runtime: hooks that instrumented code calls, shadow memory, objects, and the log. */
#include "rt_log.h"
#include "rt_shadow.h"
#include "rt_end.h"
#include <emmintrin.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAST inline __attribute__((always_inline)) /* one copy for each size of access */
#define NOINLINE __attribute__((noinline))

struct col bf_cols[C_COUNT];
u32 __bf_argp[16];
void *__bf_args[16];
u32 __bf_args_set;
u32 __bf_retp;

u32 bf_copy_site;
u32 bf_nstores, bf_nframes, bf_nreads, bf_nevents; /* how many so far; stores are numbered from 1 */
struct live_frame *bf_frame; /* the innermost frame */
static struct live_frame *frames;
u32 *bf_ostack;
u32 bf_osp;
static u32 last_unknown; /* event of the latest call whose effects on memory are not known */
static u64 pending_end;  /* segments at which the run is stopped */
u32 bf_store_floor, bf_read_floor; /* what was written or seen before the part of the log under way: its value is logged again when it is read */
volatile int bf_stop, bf_busy;

/* ---- the log ------------------------------------------------------------------------------------------------------- */

void bf_write_all(int fd, const u8 *p, u64 n) {
  while (n && fd >= 0) {
    ssize_t k = write(fd, p, n);
    if (k < 0) {
      if (errno == EINTR) continue;
      bf_disk_full();
      return;
    }
    p += k;
    n -= (u64)k;
  }
}

/* The column begins anew: nothing refers to what it held. */
void bf_restart_column(int c) {
  struct col *k = &bf_cols[c];
  k->at = k->zero = k->buf;
  if (k->fd >= 0 && (ftruncate(k->fd, 0) || lseek(k->fd, 0, SEEK_SET))) bf_disk_full();
}

void bf_flush(int c) {
  struct col *k = &bf_cols[c];
  u64 n = (u64)(k->at - k->buf);
  int saved = errno;
  bf_busy = 1;
  bf_write_all(k->fd, k->buf, n);
  bf_busy = 0;
  errno = saved;
  k->zero -= n;
  k->at = k->buf;
}

u32 bf_segments(void) { return (u32)(bf_size(C_SEG) / sizeof(seg_t)); }
/* After library code has called back, the segment under way is again the one that called the library. */
static u32 left_at, left_to;
static inline u32 under_way(u32 n) { return n == left_at ? left_to : n - 1; }
u32 bf_now(void) { return under_way(bf_segments()); }

static void window_start(void) {
  u32 n = bf_segments();
  if ((bf_stop && n) || n >= pending_end) bf_limit(bf_stop ? "time" : "steps"), pending_end = ~0ull;
  bf_window_begins();
  struct check_rec *r = PUT(C_CHECK, struct check_rec);
  *r = (struct check_rec){.loads = bf_loads(), .bytes = bf_size(C_VALUE), .addresses = bf_size(C_ADDRESS) / 8, .words = bf_size(C_WORD) / 8,
                          .stores = bf_nstores, .frame = bf_frame->id, .frames = bf_nframes, .reads = bf_nreads, .events = bf_nevents, .escapes = (u32)(bf_size(C_ESCAPE) / 4)};
  bf_deliver_signals();
}

static u8 *seg_end; /* the end of the window under way */

static NOINLINE void seg_full(u32 seg) {
  struct col *k = &bf_cols[C_SEG];
  if (k->at >= k->end) bf_flush(C_SEG);
  seg_end = k->at + BF_WINDOW * sizeof(seg_t);
  window_start();
  if (k->at == seg_end) return seg_full(seg); /* a signal handler filled the window */
  *(seg_t *)k->at = (seg_t)seg;
  k->at += sizeof(seg_t);
}

static FAST void put_segment(u32 seg) {
  u8 *at = bf_cols[C_SEG].at;
  if (__builtin_expect(at == seg_end, 0)) return seg_full(seg);
  *(seg_t *)at = (seg_t)seg;
  bf_cols[C_SEG].at = at + sizeof(seg_t);
}

void __bf_s(u32 seg) { put_segment(seg); }

void bf_log_start(u64 limit) {
  pending_end = limit;
  seg_end = bf_cols[C_SEG].at;
}

/* ---- frames -------------------------------------------------------------------------------------------------------- */

void __bf_enter(u32 seg, u8 *base, u64 size) {
  u32 caller = bf_now();
  put_segment(seg); /* first: a checkpoint describes what was before the segment */
  struct frame_rec *r = PUT(C_FRAME, struct frame_rec);
  struct live_frame *f = bf_frame + 1;
  *r = (struct frame_rec){.entry = bf_now(), .caller = caller, .parent = bf_frame->id, .object = bf_nobjects, .base = (u64)base};
  f->caller = caller;
  f->id = bf_nframes++;
  f->base = f->low = base;
  f->size = size;
  f->osp = bf_osp;
  f->object = bf_nobjects;
  bf_frame = f;
  memset(ids(base), 0, size * 4);
  if (!__bf_args_set)
    for (int i = 0; i < 16; i++) __bf_argp[i] = BF_LOOKUP, __bf_args[i] = 0;
  __bf_args_set = 0;
}

static void drop_objects(u32 to) {
  while (bf_osp > to) bf_bury(&bf_objects[bf_ostack[--bf_osp]]);
}

void __bf_leave(void) {
  if (__builtin_expect(bf_osp != bf_frame->osp, 0)) drop_objects(bf_frame->osp);
  left_at = bf_segments();
  left_to = bf_frame->caller;
  bf_frame--;
}

void __bf_setjmp(u8 *base) {
  struct live_frame *f = bf_frame;
  while (f > frames && f->base != base) f--;
  if (f != bf_frame) drop_objects((f + 1)->osp); /* frames that longjmp left behind */
  bf_frame = f;
  *PUT(C_WORD, u64) = bf_frame->id;
}

u32 __bf_local(u8 *p, u64 size, u32 site) {
  u32 o = bf_new_object(p, size, OB_STACK, site);
  if (o) bf_ostack[bf_osp++] = o;
  return o;
}

u32 __bf_dynamic(u8 *p, u64 count, u64 size, u32 site) {
  *PUT(C_WORD, u64) = (u64)p;
  if (p < bf_frame->low) bf_frame->low = p;
  memset(ids(p), 0, count * size * 4);
  u32 o = bf_new_object(p, count * size, OB_DYNAMIC, site);
  if (o) bf_ostack[bf_osp++] = o;
  return o;
}

void __bf_restore(u8 *sp) {
  while (bf_osp > bf_frame->osp) {
    struct object *o = &bf_objects[bf_ostack[bf_osp - 1]];
    if (o->kind != OB_DYNAMIC || o->start >= sp) break;
    bf_bury(o);
    bf_osp--;
  }
}

/* What lies between this frame and the variables of its caller are arguments, which no recorded store wrote. */
void __bf_variadic(u64 size) {
  u8 *from = bf_frame->base + size, *to = bf_frame[-1].low;
  if (bf_frame - 1 > frames && from < to && to - from < 1 << 20) memset(ids(from), 0, (u64)(to - from) * 4);
}

static struct event_rec *begin_copy(const u8 *dst, const u8 *src, u64 n, u32 site);
static void mark(const u8 *p, u64 n, u32 event);
void __bf_copied(u8 *dst, u64 n);
/* The callee's own copy of a struct argument, made by the call itself; arguments beyond the sixteenth are not followed. */
u32 __bf_byval(u8 *p, u64 n, u32 arg) {
  u8 *src = arg < 16 ? __bf_args[arg] : 0;
  if (arg < 16) __bf_args[arg] = 0;
  if (src && n && memcmp(src, p, n) == 0) {
    begin_copy(p, src, n, ~0u)->seg = bf_frame->caller;
    __bf_copied(p, n);
  } else if (n) {
    bf_event(EV_WRITE, p, n)->seg = bf_frame->caller;
    mark(p, n, bf_nevents);
  }
  return __bf_local(p, n, ~arg);
}

/* A local variable goes out of scope, or comes into scope again. */
void __bf_scope(u32 o, u32 is_inside) { bf_set_scope(o, (int)is_inside); }

/* ---- errors that are no accesses ------------------------------------------------------------------------------------ */

/* Those of arithmetic, which a loop may repeat a million times: each place is noted once. */
static u64 noted[4096];
static int is_first(u64 place) {
  u64 k = place * 0x9e3779b97f4a7c15ull >> 52;
  for (u32 i = 0; i < 64; i++, k = (k + 1) & 4095) {
    if (noted[k] == place) return 0;
    if (!noted[k]) return noted[k] = place, 1;
  }
  return 0;
}
static void note_at(int kind, const u8 *p, u64 n, int is_write, u32 site) {
  bf_copy_site = site + 1;
  bf_note_error(kind, p, n, 0, is_write);
  bf_copy_site = 0;
}
static NOINLINE void wrong(u32 kind, u32 site, u64 place) {
  if (is_first(place)) note_at((int)kind, 0, 0, 0, site);
}
void __bf_e(int is_wrong, u32 kind, u32 site) {
  if (__builtin_expect(is_wrong, 0)) wrong(kind, site, (u64)__builtin_return_address(0));
}
/* An access whose index is outside of the array that it is written for. */
void __bf_member(int is_outside, const u8 *p, u64 n, u32 is_write, u32 site) {
  if (__builtin_expect(is_outside, 0)) note_at(ER_MEMBER, p, n, (int)is_write, site);
}
/* After a call that left a text in an array with this many bytes. */
void __bf_text(const char *p, u64 room, u32 site) {
  if (p && strnlen(p, room) == room) note_at(ER_MEMBER, (const u8 *)p, strlen(p) + 1, 1, site);
}
void __bf_unreachable(void) { bf_end_run(END_SIGNAL, SIGILL, "code was reached that the program says is unreachable"); }
/* A local array that no stack has room for: its size was negative. */
void __bf_size(u64 count, u32 site) {
  if (__builtin_expect(count <= 0x7fffffff, 1)) return;
  note_at(ER_SIZE, 0, count, 1, site);
  bf_end_run(END_SIGNAL, SIGSEGV, "");
}

/* ---- loads --------------------------------------------------------------------------------------------------------- */

static FAST int same(const u8 *p, const u8 *v, int n) {
  switch (n) {
  case 1: return *p == *v;
  case 2: return *(const u16 *)p == *(const u16 *)v;
  case 4: return *(const u32 *)p == *(const u32 *)v;
  default: return *(const u64 *)p == *(const u64 *)v;
  }
}

/* Four ids that follow each other. */
static FAST __m128i ids_from(u32 w) { return _mm_add_epi32(_mm_set1_epi32((int)w), _mm_setr_epi32(0, 1, 2, 3)); }
static FAST int unlike(const u32 *s, u32 w) { return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)s), ids_from(w))) ^ 0xffff; }

/* Whether byte i has the id w + i, for all but the first. */
static FAST int follow(const u32 *s, u32 w, int n) {
  switch (n) {
  case 1: return 1;
  case 2: return s[1] == w + 1;
  case 4: return !unlike(s, w);
  default: return !(unlike(s, w) | unlike(s + 4, w + 4));
  }
}

/* Whether the part of the log under way holds what a writer left. */
static FAST int is_at_hand(u32 w) { return w < BF_READ ? w >> 3 > bf_store_floor : w < BF_EVENT && BF_INDEX(w) > bf_read_floor; }

/* Whether the bytes lie inside what one store or one read left, and are still that. */
static FAST int regular(const u8 *p, const u32 *s, int n) {
  u32 w = s[0];
  return (w & 7) + (u32)n <= 8 && is_at_hand(w) && follow(s, w, n) && same(p, vals(p), n);
}

/* Whether these 8 bytes came from one copy, which brought the pointer's object along. */
static inline int whole_copy(const u32 *s) { return s[0] >= BF_EVENT && (s[0] & 7) == BF_COPY_TAG && s[7] == s[0]; }

/* Whether the byte after one with the id `last` continues its run: zeros and events repeat, stores and reads count up. */
static FAST int goes_on(u32 w, u32 last) { return w == 0 || w >= BF_EVENT ? w == last : w == last + 1; }

static void put_sources(struct read_rec *r, const u32 *s, int n) {
  r->runs = 1;
  for (int i = 1; i < n; i++) r->runs += !goes_on(s[i], s[i - 1]);
  r->source = r->runs == 1 ? s[0] : (u32)(bf_size(C_RUN) / sizeof(struct run_rec));
  if (r->runs > 1)
    for (int i = 0; i < n; i++)
      if (!i || !goes_on(s[i], s[i - 1])) *PUT(C_RUN, struct run_rec) = (struct run_rec){(u32)i, s[i]};
}

/* Whether these 8 bytes are of one store or one read, which only the part of the log under way does not hold. */
static int is_old_pointer(const u32 *s) { return s[0] && s[0] < BF_EVENT && !(s[0] & 7) && follow(s, s[0], 8); }

/* Bytes of several writers, never written, or changed behind our back: the value is logged and becomes a writer of its own. */
static __attribute__((noinline)) void irregular(u8 *p, int n) {
  u32 *s = ids(p);
  u8 *v = vals(p);
  struct read_rec *r = PUT(C_READ, struct read_rec);
  memset(r, 0, sizeof *r);
  r->addr = (u64)p;
  memcpy(&r->value, p, (size_t)n);
  put_sources(r, s, n);
  r->seg = bf_now();
  r->size = (u8)n;
  int never = 0, changed = 0;
  for (int i = 0; i < n; i++) {
    if (s[i] == 0) never = 1;
    else if (p[i] != v[i]) changed = 1;
  }
  if (changed) r->flags |= RD_CHANGED, r->event = last_unknown;
  if (never) r->flags |= bf_never_written(p), r->event = bf_is_as_started(p, (u64)n) ? 0 : last_unknown;
  if (n == 8 && !((u64)p & 7) && (changed || !(whole_copy(s) || is_old_pointer(s)))) *prov(p) = BF_LOOKUP;
  u32 w = BF_READ | ++bf_nreads << 3;
  for (int i = 0; i < n; i++) s[i] = w + (u32)i;
  memcpy(v, p, (size_t)n);
}

/* Any load. */
static FAST void load_any(u8 *p, int n) {
  u32 *s = ids(p);
  if (!regular(p, s, n)) irregular(p, n);
  u32 w = s[0], delta = bf_nstores - (w >> 3), near = w < BF_READ && !(w & 7) && delta < 255;
  if (!near) *PUT(C_ESCAPE, u32) = w;
  *PUT(C_LOAD, u8) = near ? (u8)delta : 255;
}
static NOINLINE void load_1(u8 *p) { load_any(p, 1); }
static NOINLINE void load_2(u8 *p) { load_any(p, 2); }
static NOINLINE void load_4(u8 *p) { load_any(p, 4); }
static NOINLINE void load_8(u8 *p) { load_any(p, 8); }
static FAST void load_slowly(u8 *p, int n) {
  switch (n) {
  case 1: load_1(p); break;
  case 2: load_2(p); break;
  case 4: load_4(p); break;
  default: load_8(p); break;
  }
}

/* Most loads: of what one of the latest 255 stores wrote. The rest goes elsewhere, so that these few instructions need no stack. */
static FAST int load_near(u8 *p, int n) {
  const u32 *s = ids(p);
  struct col *k = &bf_cols[C_LOAD];
  u32 w = s[0], delta = bf_nstores - 1 - ((w - 8) >> 3); /* large when w is 0, or a read or an event */
  if (__builtin_expect(delta >= 255 || w & 7 || k->at == k->end || !follow(s, w, n) || !same(p, vals(p), n), 0)) return 0;
  *k->at++ = (u8)delta;
  return 1;
}
static FAST void load(u8 *p, int n) {
  if (__builtin_expect(!load_near(p, n), 0)) load_slowly(p, n);
}

static FAST int fine(const u8 *p, u64 n, u32 o) {
  if (__builtin_expect(o >= BF_WEAK, 0)) return 0;
  u64 room = bf_objects[o].room, off = (u64)p - (u64)bf_objects[o].start;
  return off < room && off + n <= room;
}
static FAST void check(const u8 *p, u64 n, u32 o, int is_write) {
  if (__builtin_expect(!fine(p, n, o), 0)) bf_check(p, n, o, is_write);
}

static NOINLINE void load_check(u8 *p, int n, u32 o) {
  check(p, (u64)n, o, 0);
  load_slowly(p, n);
}
static FAST void load_checked(u8 *p, int n, u32 o) {
  if (__builtin_expect(!fine(p, (u64)n, o), 0)) return load_check(p, n, o);
  load(p, n);
}

void __bf_l1(u8 *p) { load(p, 1); }
void __bf_l2(u8 *p) { load(p, 2); }
void __bf_l4(u8 *p) { load(p, 4); }
void __bf_l8(u8 *p) { load(p, 8); }
void __bf_l1c(u8 *p, u32 o) { load_checked(p, 1, o); }
void __bf_l2c(u8 *p, u32 o) { load_checked(p, 2, o); }
void __bf_l4c(u8 *p, u32 o) { load_checked(p, 4, o); }
void __bf_l8c(u8 *p, u32 o) { load_checked(p, 8, o); }

/* The object a loaded pointer points into: tracked when it was stored whole by recorded code. */
static FAST u32 object_at(const u8 *p) { return (u64)p & 7 ? BF_LOOKUP : *prov(p); }
static NOINLINE u32 load_pointer(u8 *p) {
  load_any(p, 8);
  return object_at(p);
}
static NOINLINE u32 load_pointer_check(u8 *p, u32 o) {
  check(p, 8, o, 0);
  return load_pointer(p);
}
u32 __bf_lp(u8 *p) { return __builtin_expect(load_near(p, 8), 1) ? object_at(p) : load_pointer(p); }
u32 __bf_lpc(u8 *p, u32 o) { return __builtin_expect(fine(p, 8, o) && load_near(p, 8), 1) ? object_at(p) : load_pointer_check(p, o); }

static inline int chunk(u32 left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

void __bf_ln(u8 *p, u32 n, u32 o) {
  check(p, n, o, 0);
  while (n) {
    int k = chunk(n);
    load_slowly(p, k);
    p += k;
    n -= (u32)k;
  }
}

/* ---- stores -------------------------------------------------------------------------------------------------------- */

static FAST void mark_store(u8 *p, int n) {
  u32 *s = ids(p), w = ++bf_nstores << 3;
  switch (n) {
  case 1: s[0] = w; *vals(p) = *p; break;
  case 2: s[0] = w, s[1] = w + 1; *(u16 *)vals(p) = *(u16 *)p; break;
  case 4: _mm_storeu_si128((__m128i *)s, ids_from(w)); *(u32 *)vals(p) = *(u32 *)p; break;
  default:
    _mm_storeu_si128((__m128i *)s, ids_from(w));
    _mm_storeu_si128((__m128i *)(s + 4), ids_from(w + 4));
    *(u64 *)vals(p) = *(u64 *)p;
  }
}
static FAST void put_value(u8 *q, const u8 *p, int n) {
  switch (n) {
  case 1: *q = *p; break;
  case 2: *(u16 *)q = *(const u16 *)p; break;
  case 4: *(u32 *)q = *(const u32 *)p; break;
  default: *(u64 *)q = *(const u64 *)p;
  }
}
static FAST void store(u8 *p, int n) {
  put_value(bf_put(C_VALUE, (u64)n), p, n);
  mark_store(p, n);
}
static FAST void address(u8 *p) { *PUT(C_ADDRESS, u64) = (u64)p; }
static FAST void store_checked(u8 *p, int n, u32 o) {
  check(p, (u64)n, o, 1);
  address(p);
  store(p, n);
}

void __bf_s1(u8 *p) { store(p, 1); }
void __bf_s2(u8 *p) { store(p, 2); }
void __bf_s4(u8 *p) { store(p, 4); }
void __bf_s8(u8 *p) { store(p, 8); *prov(p) = BF_LOOKUP; }
void __bf_s1c(u8 *p, u32 o) { store_checked(p, 1, o); }
void __bf_s2c(u8 *p, u32 o) { store_checked(p, 2, o); }
void __bf_s4c(u8 *p, u32 o) { store_checked(p, 4, o); }
void __bf_s8c(u8 *p, u32 o) { store_checked(p, 8, o); *prov(p) = BF_LOOKUP; }
void __bf_sp(u8 *p, u32 o) { store(p, 8); *prov(p) = o; }
void __bf_spc(u8 *p, u32 v, u32 o) { store_checked(p, 8, o); *prov(p) = v; }
void __bf_sn(u8 *p, u32 n) {
  while (n) {
    int k = chunk(n);
    store(p, k);
    if (k == 8) *prov(p) = BF_LOOKUP;
    p += k;
    n -= (u32)k;
  }
}
void __bf_snc(u8 *p, u32 n, u32 o) { check(p, n, o, 1); address(p); __bf_sn(p, n); }

/* ---- odd values, calls --------------------------------------------------------------------------------------------- */

void __bf_word(u64 v) { *PUT(C_WORD, u64) = v; }
void __bf_words(const u8 *p, u32 n) {
  for (u32 i = 0; i < n; i += 8) {
    u64 w = 0;
    memcpy(&w, p + i, n - i < 8 ? n - i : 8);
    *PUT(C_WORD, u64) = w;
  }
}
void __bf_indirect(void *target) { *PUT(C_WORD, u64) = (u64)target; }

struct event_rec *bf_event(int kind, const void *p, u64 n) {
  struct event_rec *e = PUT(C_EVENT, struct event_rec);
  *e = (struct event_rec){.addr = (u64)p, .len = n < ~0u ? (u32)n : ~0u, .seg = bf_now(), .site = ~0u, .kind = (u8)kind, .run = (u32)(bf_size(C_RUN) / sizeof(struct run_rec)), .stream = -1};
  bf_nevents++;
  return e;
}

void bf_forget_events(void) { last_unknown = 0; }
void __bf_unknown(void) {
  bf_event(EV_CALL, 0, 0);
  last_unknown = bf_nevents;
}

/* ---- effects of library code and of copies ------------------------------------------------------------------------- */

static u32 put_runs(const u8 *p, u64 n) {
  u32 *s = ids(p), count = 0, last = 0;
  u8 *v = vals(p);
  for (u64 i = 0; i < n; i++) {
    u32 w = s[i];
    if (w && last_unknown && p[i] != v[i]) w = BF_EVENT | last_unknown << 3; /* changed since by a call that told nothing */
    if (!i || !goes_on(w, last)) {
      *PUT(C_RUN, struct run_rec) = (struct run_rec){(u32)i, w};
      count++;
    }
    last = w;
  }
  return count;
}

/* What people read of a text in a report: its first bytes up to the zero byte, also behind what the call of the last event touched. */
static void put_text(const u8 *p, u64 n) {
  enum { MOST = 48, ROW = sizeof((struct text_rec *)0)->bytes };
  if (!(*p ? (*p >= ' ' && *p != 127) || (*p >= '\t' && *p <= '\r') : n == 1)) return;
  const u8 *last = (const u8 *)(((u64)p + n - 1) | 4095); /* of memory that can be read for certain */
  u64 most = (u64)(last - p) + 1 < MOST ? (u64)(last - p) + 1 : MOST, length = 0;
  while (length < most && p[length]) length++;
  length = length < most ? length + 1 : most / ROW * ROW; /* rows that are filled up mean that the text has ended */
  for (u64 i = 0; i < length; i += ROW) {
    struct text_rec *t = PUT(C_TEXT, struct text_rec);
    *t = (struct text_rec){.event = bf_nevents};
    memcpy(t->bytes, p + i, length - i < ROW ? length - i : ROW);
  }
}

static void mark_id(const u8 *p, u64 n, u32 w) {
  u32 *s = ids(p);
  for (u64 i = 0; i < n; i++) s[i] = w;
  memcpy(vals(p), p, n);
}

static void mark(const u8 *p, u64 n, u32 event) { mark_id(p, n, BF_EVENT | event << 3); }

void bf_wrote(const void *p, u64 n) {
  if (!p || !n) return;
  bf_event(EV_WRITE, p, n);
  put_text(p, n);
  mark(p, n, bf_nevents);
}
/* A va_list of x86-64: its last member points to the registers that the function's entry saved, which no recorded store wrote. */
void __bf_va_start(u8 *list, u32 site) {
  u8 *saved = *(u8 **)(list + 16);
  memset(ids(saved), 0, 176 * 4);
  bf_event(EV_WRITE, list, 24)->site = site;
  mark(list, 24, bf_nevents);
}
void bf_filled(void *p, u64 n) {
  if (!n) return;
  bf_event(EV_FILL, p, n);
  mark(p, n, bf_nevents);
}
void __bf_fill(u8 *p, u32 o, u64 n, u32 site) {
  if (!n) return;
  bf_copy_site = site + 1;
  check(p, n, o, 1);
  bf_copy_site = 0;
  bf_event(EV_FILL, p, n)->site = site;
  mark(p, n, bf_nevents);
}
void bf_read(const void *p, u64 n) {
  if (!p || !n) return;
  struct event_rec *e = bf_event(EV_READ, p, n);
  /* data changed outside since it was last seen is caught when it is loaded; here the last known writers are enough */
  e->runs = put_runs(p, n);
  put_text(p, n);
}
void bf_input(const void *p, u64 n, int stream, int64_t offset) {
  if (!p || !n) return;
  struct event_rec *e = bf_event(EV_INPUT, p, n);
  e->stream = (int16_t)stream;
  e->addr2 = (u64)offset;
  put_text(p, n);
  mark(p, n, bf_nevents);
}
void bf_input_result(u64 n, int stream, int64_t offset) {
  struct event_rec *e = bf_event(EV_INPUT, 0, n);
  e->stream = (int16_t)stream;
  e->addr2 = (u64)offset;
}

/* A copy is announced before memory changes, so that the writers of overlapping sources are still there. Pointers' objects go with it. */
static u32 copy_event;
static inline int whole_pointer(const u32 *s) { return (s[0] < BF_EVENT && !(s[0] & 7) && s[7] == s[0] + 7) || whole_copy(s); }
static struct event_rec *begin_copy(const u8 *dst, const u8 *src, u64 n, u32 site) {
  if (!n) return 0;
  struct event_rec *e = bf_event(EV_COPY, dst, n);
  e->addr2 = (u64)src;
  e->site = site;
  e->runs = put_runs(src, n);
  copy_event = bf_nevents;
  int together = ((u64)dst & 7) == ((u64)src & 7);
  u64 first = -(u64)dst & 7, slots = n >= first + 8 ? (n - first) / 8 : 0;
  for (u64 k = 0; k < slots; k++) { /* in the direction that overlapping copies need */
    u64 i = first + 8 * (dst <= src ? k : slots - 1 - k);
    *prov(dst + i) = together && whole_pointer(ids(src + i)) ? *prov(src + i) : BF_LOOKUP;
  }
  return e;
}
void bf_before_copy(const void *dst, const void *src, u64 n) {
  begin_copy(dst, src, n, ~0u);
  if (n) put_text(src, n);
}
void bf_copied(void *dst, const void *src, u64 n) {
  (void)src;
  if (n) mark_id(dst, n, BF_EVENT | copy_event << 3 | BF_COPY_TAG);
}
void __bf_copy(u8 *dst, u32 od, u8 *src, u32 os, u64 n, u32 site) {
  if (n) {
    bf_copy_site = site + 1;
    check(src, n, os, 0);
    check(dst, n, od, 1);
    bf_copy_site = 0;
  }
  begin_copy(dst, src, n, site);
  if (n) put_text(src, n);
}
void __bf_overlap(u8 *dst, u8 *src, u64 n, u32 site) {
  if (dst != src && (dst < src ? (u64)(src - dst) : (u64)(dst - src)) < n) note_at(ER_OVERLAP, dst, n, 1, site);
}
void __bf_copied(u8 *dst, u64 n) {
  if (n) mark_id(dst, n, BF_EVENT | copy_event << 3 | BF_COPY_TAG);
}

/* ---- output -------------------------------------------------------------------------------------------------------- */

static u64 stdio_out;
void bf_output(u64 n, const struct bf_piece *pieces, u32 npieces) {
  struct output_rec *r = PUT(C_OUTPUT, struct output_rec);
  *r = (struct output_rec){.offset = (int64_t)stdio_out, .len = n, .seg = bf_now(), .piece = (u32)(bf_size(C_PIECE) / sizeof(struct bf_piece)), .pieces = npieces};
  for (u32 i = 0; i < npieces; i++) *PUT(C_PIECE, struct bf_piece) = pieces[i];
  stdio_out += n;
}
void bf_output_at(u64 n, int64_t offset) {
  struct output_rec *r = PUT(C_OUTPUT, struct output_rec);
  *r = (struct output_rec){.offset = offset, .len = n, .seg = bf_now(), .pad = 1};
}

struct live_frame *bf_first_frame(void) { return frames + 1; }
void bf_frames_start(void) {
  frames = bf_reserve(sizeof(struct live_frame) << 24);
  bf_ostack = bf_reserve(4ull << 27);
  frames[0] = (struct live_frame){.id = ~0u};
  bf_frame = frames;
}
