/* The recording runtime: hooks that instrumented code calls, shadow memory, objects, and the log. */
#include "rt_log.h"
#include "rt_shadow.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef BF_WIDE_SEGMENTS
typedef u32 seg_t;
#else
typedef u16 seg_t;
#endif

struct col bf_cols[C_COUNT];
u32 __bf_argp[16];
void *__bf_args[16];
u32 __bf_args_set;
u32 __bf_retp;

u32 bf_nstores, bf_nframes, bf_nreads, bf_nevents; /* how many so far; stores are numbered from 1 */
u64 bf_nloads;
struct live_frame *bf_frame; /* the innermost frame */
static struct live_frame *frames;
u32 *bf_ostack;
u32 bf_osp;
static u32 last_unknown; /* event of the latest call whose effects on memory are not known */
static u64 pending_end;  /* segments at which the run is stopped */
volatile int bf_stop;

extern const struct { void *p; u64 n; } __bf_gtab[];
extern void *const __bf_ftab[], *const __bf_btab[];
extern const u64 __bf_counts[4];

/* ---- the log ------------------------------------------------------------------------------------------------------- */

static void write_all(int fd, const u8 *p, u64 n) {
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

void bf_flush(int c) {
  struct col *k = &bf_cols[c];
  u64 n = (u64)(k->at - k->buf);
  int saved = errno;
  write_all(k->fd, k->buf, n);
  errno = saved;
  k->flushed += n;
  k->at = k->buf;
}

u32 bf_segments(void) { return (u32)(bf_size(C_SEG) / sizeof(seg_t)); }
/* After library code has called back, the segment under way is again the one that called the library. */
static u32 left_at, left_to;
static inline u32 under_way(u32 n) { return n == left_at ? left_to : n - 1; }
u32 bf_now(void) { return under_way(bf_segments()); }

static void window_start(void) {
  struct check_rec *r = PUT(C_CHECK, struct check_rec);
  *r = (struct check_rec){.loads = bf_nloads, .bytes = bf_size(C_VALUE), .addresses = bf_size(C_ADDRESS) / 8, .words = bf_size(C_WORD) / 8,
                          .stores = bf_nstores, .frame = bf_frame->id, .frames = bf_nframes, .reads = bf_nreads, .events = bf_nevents};
  if (bf_stop || bf_segments() >= pending_end) bf_end_run(END_LIMIT, 0, bf_stop ? "time" : "steps");
  if (bf_nstores > 0x0ff00000u || bf_nreads > 0x07f00000u || bf_nevents > 0x07f00000u) bf_end_run(END_LIMIT, 0, "log");
  bf_deliver_signals();
}

static seg_t *seg_next, *seg_end; /* the end of the window under way */

static void seg_full(void) {
  bf_cols[C_SEG].at = (u8 *)seg_next;
  if (bf_cols[C_SEG].at >= bf_cols[C_SEG].end) bf_flush(C_SEG);
  seg_next = (seg_t *)bf_cols[C_SEG].at;
  seg_end = seg_next + BF_WINDOW;
  window_start();
}

static inline void put_segment(u32 seg) {
  if (__builtin_expect(seg_next == seg_end, 0)) seg_full();
  *seg_next++ = (seg_t)seg;
  bf_cols[C_SEG].at = (u8 *)seg_next;
}

void __bf_s(u32 seg) { put_segment(seg); }

void bf_log_start(u64 limit) {
  pending_end = limit;
  seg_next = seg_end = (seg_t *)bf_cols[C_SEG].at;
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
  f->base = base;
  f->osp = bf_osp;
  bf_frame = f;
  memset(ids(base), 0, size * 4);
  if (!__bf_args_set)
    for (int i = 0; i < 16; i++) __bf_argp[i] = BF_LOOKUP;
  __bf_args_set = 0;
}

static void drop_objects(u32 to) {
  while (bf_osp > to) bf_objects[bf_ostack[--bf_osp]].dead = 1;
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
  memset(ids(p), 0, count * size * 4);
  u32 o = bf_new_object(p, count * size, OB_DYNAMIC, site);
  if (o) bf_ostack[bf_osp++] = o;
  return o;
}

void __bf_restore(u8 *sp) {
  for (u32 i = bf_osp; i > bf_frame->osp; i--) {
    struct object *o = &bf_objects[bf_ostack[i - 1]];
    if (o->kind == OB_DYNAMIC && o->start < sp) o->dead = 1;
  }
}

static void begin_copy(const u8 *dst, const u8 *src, u64 n, u32 site);
void __bf_copied(u8 *dst, u64 n);
/* The callee's own copy of a struct argument, made by the call itself. */
u32 __bf_byval(u8 *p, u64 n, u32 arg) {
  u8 *src = __bf_argp[arg] == BF_LOOKUP ? 0 : __bf_args[arg];
  if (src && n && memcmp(src, p, n) == 0) {
    begin_copy(p, src, n, ~0u);
    __bf_copied(p, n);
  } else {
    memset(ids(p), 0, n * 4);
  }
  return __bf_local(p, n, ~arg);
}

/* ---- loads --------------------------------------------------------------------------------------------------------- */

static inline int same(const u8 *p, const u8 *v, int n) {
  switch (n) {
  case 1: return *p == *v;
  case 2: return *(const u16 *)p == *(const u16 *)v;
  case 4: return *(const u32 *)p == *(const u32 *)v;
  default: return *(const u64 *)p == *(const u64 *)v;
  }
}

static inline int regular_ids(const u32 *s, int n) {
  u32 w = s[0];
  if ((w & 7) || w - 1 >= BF_EVENT - 1) return 0;
  u32 bad = 0;
  for (int i = 1; i < n; i++) bad |= s[i] ^ (w + (u32)i);
  return !bad;
}

/* Whether these 8 bytes came from one copy, which brought the pointer's object along. */
static inline int whole_copy(const u32 *s) { return s[0] >= BF_EVENT && (s[0] & 7) == BF_COPY_TAG && s[7] == s[0]; }

/* Bytes of several writers, never written, or changed behind our back: the value is logged and becomes a writer of its own. */
static __attribute__((noinline)) void irregular(u8 *p, int n) {
  u32 *s = ids(p);
  u8 *v = vals(p);
  struct read_rec *r = PUT(C_READ, struct read_rec);
  memset(r, 0, sizeof *r);
  r->addr = (u64)p;
  memcpy(&r->value, p, (size_t)n);
  memcpy(r->src, s, (size_t)n * 4);
  r->seg = bf_now();
  r->load = (u32)bf_nloads;
  r->size = (u8)n;
  int never = 0, changed = 0;
  for (int i = 0; i < n; i++) {
    if (s[i] == 0) never = 1;
    else if (p[i] != v[i]) changed = 1;
  }
  if (changed) r->flags |= RD_CHANGED, r->event = last_unknown;
  if (never) r->flags |= bf_never_written(p), r->event = last_unknown;
  if (n == 8 && !((u64)p & 7) && (changed || !whole_copy(s))) *prov(p) = BF_LOOKUP;
  u32 w = BF_READ | ++bf_nreads << 3;
  for (int i = 0; i < n; i++) s[i] = w + (u32)i;
  memcpy(v, p, (size_t)n);
}

static inline void load(u8 *p, int n) {
  u32 *s = ids(p);
  if (__builtin_expect(!regular_ids(s, n) || !same(p, vals(p), n), 0)) irregular(p, n);
  u32 w = s[0];
  u32 delta = bf_nstores - (w >> 3);
  u8 *q = bf_put(C_LOAD, 1);
  if (__builtin_expect(w < BF_READ && delta < 255, 1)) {
    *q = (u8)delta;
  } else {
    *q = 255;
    *PUT(C_ESCAPE, struct escape) = (struct escape){(u32)bf_nloads, w};
  }
  bf_nloads++;
}

static inline void check(const u8 *p, u64 n, u32 o, int is_write) {
  if (o == 0) return;
  if (__builtin_expect(o < BF_WEAK, 1)) {
    struct object *b = &bf_objects[o];
    u64 off = (u64)p - (u64)b->start;
    if (__builtin_expect(off < b->size && off + n <= b->size && !b->dead, 1)) return;
  }
  bf_check(p, n, o, is_write);
}

void __bf_l1(u8 *p) { load(p, 1); }
void __bf_l2(u8 *p) { load(p, 2); }
void __bf_l4(u8 *p) { load(p, 4); }
void __bf_l8(u8 *p) { load(p, 8); }
void __bf_l1c(u8 *p, u32 o) { check(p, 1, o, 0); load(p, 1); }
void __bf_l2c(u8 *p, u32 o) { check(p, 2, o, 0); load(p, 2); }
void __bf_l4c(u8 *p, u32 o) { check(p, 4, o, 0); load(p, 4); }
void __bf_l8c(u8 *p, u32 o) { check(p, 8, o, 0); load(p, 8); }

/* The object a loaded pointer points into: tracked when it was stored whole by recorded code. */
static inline u32 loaded_pointer(u8 *p) {
  load(p, 8);
  return (u64)p & 7 ? BF_LOOKUP : *prov(p);
}
u32 __bf_lp(u8 *p) { return loaded_pointer(p); }
u32 __bf_lpc(u8 *p, u32 o) { check(p, 8, o, 0); return loaded_pointer(p); }

static inline int chunk(u32 left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

void __bf_ln(u8 *p, u32 n, u32 o) {
  check(p, n, o, 0);
  while (n) {
    int k = chunk(n);
    load(p, k);
    p += k;
    n -= (u32)k;
  }
}

/* ---- stores -------------------------------------------------------------------------------------------------------- */

static inline void store(u8 *p, int n) {
  u32 *s = ids(p);
  u32 w = ++bf_nstores << 3;
  for (int i = 0; i < n; i++) s[i] = w + (u32)i;
  u8 *q = bf_put(C_VALUE, (u64)n), *v = vals(p);
  switch (n) {
  case 1: *q = *v = *p; break;
  case 2: *(u16 *)q = *(u16 *)v = *(u16 *)p; break;
  case 4: *(u32 *)q = *(u32 *)v = *(u32 *)p; break;
  default: *(u64 *)q = *(u64 *)v = *(u64 *)p; break;
  }
}
static inline void address(u8 *p) { *PUT(C_ADDRESS, u64) = (u64)p; }

void __bf_s1(u8 *p) { store(p, 1); }
void __bf_s2(u8 *p) { store(p, 2); }
void __bf_s4(u8 *p) { store(p, 4); }
void __bf_s8(u8 *p) { store(p, 8); *prov(p) = BF_LOOKUP; }
void __bf_s1c(u8 *p, u32 o) { check(p, 1, o, 1); address(p); store(p, 1); }
void __bf_s2c(u8 *p, u32 o) { check(p, 2, o, 1); address(p); store(p, 2); }
void __bf_s4c(u8 *p, u32 o) { check(p, 4, o, 1); address(p); store(p, 4); }
void __bf_s8c(u8 *p, u32 o) { check(p, 8, o, 1); address(p); store(p, 8); *prov(p) = BF_LOOKUP; }
void __bf_sp(u8 *p, u32 o) { store(p, 8); *prov(p) = o; }
void __bf_spc(u8 *p, u32 v, u32 o) { check(p, 8, o, 1); address(p); store(p, 8); *prov(p) = v; }
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
  *e = (struct event_rec){.addr = (u64)p, .len = n, .seg = bf_now(), .site = ~0u, .kind = (u8)kind, .run = (u32)(bf_size(C_RUN) / sizeof(struct run_rec)), .stream = -1};
  bf_nevents++;
  return e;
}

void __bf_unknown(void) {
  bf_event(EV_CALL, 0, 0);
  last_unknown = bf_nevents;
}

/* ---- effects of library code and of copies ------------------------------------------------------------------------- */

static u32 put_runs(const u8 *p, u64 n) {
  u32 *s = ids(p), count = 0, next = 0;
  for (u64 i = 0; i < n; i++) {
    if (i && (s[i] == next || ((s[i] & BF_EVENT) == BF_EVENT && s[i] == s[i - 1]) || (!s[i] && !s[i - 1]))) {
      next = s[i] + 1;
      continue;
    }
    *PUT(C_RUN, struct run_rec) = (struct run_rec){(u32)i, s[i]};
    count++;
    next = s[i] + 1;
  }
  return count;
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
  mark(p, n, bf_nevents);
}
void __bf_wrote(u8 *p, u64 n, u32 site) {
  bf_event(EV_WRITE, p, n)->site = site;
  mark(p, n, bf_nevents);
}
void bf_filled(void *p, u64 n) {
  if (!n) return;
  bf_event(EV_FILL, p, n);
  mark(p, n, bf_nevents);
}
void __bf_fill(u8 *p, u32 o, u64 n, u32 site) {
  if (!n) return;
  check(p, n, o, 1);
  bf_event(EV_FILL, p, n)->site = site;
  mark(p, n, bf_nevents);
}
void bf_read(const void *p, u64 n) {
  if (!p || !n) return;
  struct event_rec *e = bf_event(EV_READ, p, n);
  /* data changed outside since it was last seen is caught when it is loaded; here the last known writers are enough */
  e->runs = put_runs(p, n);
}
void bf_input(const void *p, u64 n, int stream, int64_t offset) {
  if (!p || !n) return;
  struct event_rec *e = bf_event(EV_INPUT, p, n);
  e->stream = stream;
  e->addr2 = (u64)offset;
  mark(p, n, bf_nevents);
}
void bf_input_result(u64 n, int stream, int64_t offset) {
  struct event_rec *e = bf_event(EV_INPUT, 0, n);
  e->stream = stream;
  e->addr2 = (u64)offset;
}

/* A copy is announced before memory changes, so that the writers of overlapping sources are still there. Pointers' objects go with it. */
static u32 copy_event;
static inline int whole_pointer(const u32 *s) { return (s[0] < BF_EVENT && !(s[0] & 7) && s[7] == s[0] + 7) || whole_copy(s); }
static void begin_copy(const u8 *dst, const u8 *src, u64 n, u32 site) {
  if (!n) return;
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
}
void bf_before_copy(const void *dst, const void *src, u64 n) { begin_copy(dst, src, n, ~0u); }
void bf_copied(void *dst, const void *src, u64 n) {
  (void)src;
  if (n) mark_id(dst, n, BF_EVENT | copy_event << 3 | BF_COPY_TAG);
}
void __bf_copy(u8 *dst, u32 od, u8 *src, u32 os, u64 n, u32 site) {
  if (n) {
    check(src, n, os, 0);
    check(dst, n, od, 1);
  }
  begin_copy(dst, src, n, site);
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

void bf_frames_start(void) {
  frames = bf_reserve(sizeof(struct live_frame) << 24);
  bf_ostack = bf_reserve(4ull << 27);
  frames[0] = (struct live_frame){.id = ~0u};
  bf_frame = frames;
}
