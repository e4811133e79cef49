/* Checks of memory accesses: what instrumented code calls (instrument/checked.py), and frames with their variables. Nothing is logged: the first
   error ends the run. Objects and their bounds are those of the recorder (rt_objects.c), so that both see the same errors. */
#include "checks.h"
#include "hooks.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAST inline __attribute__((always_inline))

u32 __bf_argp[16], __bf_args_set, __bf_retp;
void *__bf_args[16];
u64 __ck_argm[16], __ck_retm[8];
u32 __ck_masks_set, __ck_at, __ck_printing;
struct live_frame *bf_frame;
u32 *bf_ostack, bf_osp;
u8 *bf_stack_top;
static struct live_frame *frames;
static u8 *allowed;
extern const u32 __ck_count;

/* ---- errors --------------------------------------------------------------------------------------------------------------- */

void bf_checks_allow(u64 check) {
  if (check <= __ck_count) allowed[check] = 1;
}

void bf_memory_error(u32 kind, u32 check) {
  if (check <= __ck_count && allowed[check]) return;
  fflush(stdout);
  bf_shared->error = kind;
  bf_shared->error_at = check;
  bf_stop_run(END_MEMORY);
}

void bf_note_error(int kind, const void *p, u64 n, u32 object, int is_write) { bf_memory_error((u32)kind, __ck_at); }
void bf_note_object(const u8 *p, u64 size, int kind, u32 site) {}

/* ---- shadow ---------------------------------------------------------------------------------------------------------------- */

static FAST void forget_pointers(const u8 *p, u64 n) {
  if (!n) return;
  for (u32 *s = prov(p), *last = prov(p + n - 1); s <= last; s++) *s = BF_LOOKUP;
}

static void give_back(u8 *from, u8 *to) { madvise(from, (u64)(to - from), MADV_DONTNEED); }

/* Zeros; whole pages of a large piece are given back instead. */
static void clear(u8 *s, u64 n) {
  u8 *e = s + n, *a = (u8 *)(((u64)s + 4095) & ~4095ull), *z = (u8 *)((u64)e & ~4095ull);
  if (n <= 65536) { memset(s, 0, n); return; }
  memset(s, 0, (u64)(a - s));
  give_back(a, z);
  memset(z, 0, (u64)(e - z));
}

void bf_define(const u8 *p, u64 n) {
  clear(undef(p), n);
  forget_pointers(p, n);
}

int bf_is_undefined(const u8 *p, u64 n) {
  const u8 *s = undef(p), *e = s + n;
  for (; s < e && (u64)s & 7; s++)
    if (*s) return 1;
  for (; s + 8 <= e; s += 8)
    if (*(const u64 *)s) return 1;
  for (; s < e; s++)
    if (*s) return 1;
  return 0;
}

void bf_note_birth(u8 *p, u64 n, int zeroed) {
  if (zeroed) clear(undef(p), n);
  else memset(undef(p), 0xff, n);
  forget_pointers(p, n);
}
void bf_note_death(u32 o) { clear(undef(bf_objects[o].start), bf_objects[o].size); }

u32 bf_pointed(const u8 *p) {
  if ((u64)p & 7 || *(const u64 *)vals(p) != *(const u64 *)p) return BF_LOOKUP;
  return *prov(p);
}

/* ---- accesses -------------------------------------------------------------------------------------------------------------- */

static FAST int fine(const u8 *p, u64 n, u32 o) {
  if (__builtin_expect(o >= BF_WEAK, 0)) return 0;
  u64 room = bf_objects[o].room, off = (u64)p - (u64)bf_objects[o].start;
  return off < room && off + n <= room;
}
static __attribute__((noinline)) void look(const u8 *p, u64 n, u32 o, u64 mask, u32 check, int is_write) {
  if (mask) bf_memory_error(UNDEFINED_ADDRESS, check);
  u32 before = __ck_at;
  __ck_at = check;
  bf_check(p, n, o, is_write);
  __ck_at = before;
}
/* mask: undefined bits of the address */
void __ck_l(const u8 *p, u64 n, u32 o, u64 mask, u32 check) {
  if (__builtin_expect(mask || !fine(p, n, o), 0)) look(p, n, o, mask, check, 0);
}
void __ck_w(const u8 *p, u64 n, u32 o, u64 mask, u32 check) {
  if (__builtin_expect(mask || !fine(p, n, o), 0)) look(p, n, o, mask, check, 1);
}
u32 __ck_lp(const u8 *p) { return bf_pointed(p); }
/* After a store: of a pointer into the object o, or of something else. */
void __ck_sp(const u8 *p, u32 o) {
  if ((u64)p & 7) { forget_pointers(p, 8); return; }
  *(u64 *)vals(p) = *(const u64 *)p;
  *prov(p) = o;
}
void __ck_sd(const u8 *p, u64 n) { forget_pointers(p, n); }

/* Errors that are no accesses: of arithmetic, of indices in members, of copies to overlapping places, of sizes. */
void __ck_e(int is_wrong, u32 kind, u32 check) {
  if (__builtin_expect(is_wrong, 0)) bf_memory_error(kind, check);
}
void __ck_text(const char *p, u64 room, u32 check) {
  if (p && strnlen(p, room) == room) bf_memory_error(ER_MEMBER, check);
}
void __ck_size(u64 count, u32 check) {
  if (__builtin_expect(count <= 0x7fffffff, 1)) return;
  bf_memory_error(ER_SIZE, check);
  bf_stop_run(END_MEMORY);
}
void __ck_overlap(const u8 *dst, const u8 *src, u64 n, u32 check) {
  if (dst != src && (dst < src ? (u64)(src - dst) : (u64)(dst - src)) < n) bf_memory_error(ER_OVERLAP, check);
}
void __ck_scope(u32 o, u32 is_inside) { bf_set_scope(o, (int)is_inside); }

void __ck_b(int undefined, u32 check) {
  if (__builtin_expect(undefined, 0)) bf_memory_error(UNDEFINED_BRANCH, check);
}
void __ck_o(u64 mask, u32 check) {
  if (__builtin_expect(mask != 0, 0)) bf_memory_error(UNDEFINED_OUTPUT, check);
}

/* A library function without a model got this pointer: it may have written what it points to. */
void __ck_given(const u8 *p, u32 o) {
  if (o == BF_LOOKUP) o = bf_lookup(p);
  o &= ~BF_WEAK;
  if (o && o < bf_nobjects && !bf_objects[o].dead) bf_define(bf_objects[o].start, bf_objects[o].size);
}

/* ---- frames ---------------------------------------------------------------------------------------------------------------- */

void __ck_enter(u8 *base, u64 size) {
  struct live_frame *f = ++bf_frame;
  f->base = f->low = base;
  f->size = size;
  f->osp = bf_osp;
  memset(undef(base), 0xff, size);
  forget_pointers(base, size);
  if (!__ck_masks_set) memset(__ck_argm, 0, sizeof __ck_argm);
  if (!__bf_args_set)
    for (int i = 0; i < 16; i++) __bf_argp[i] = BF_LOOKUP, __bf_args[i] = 0;
  __bf_args_set = __ck_masks_set = 0;
}

static void drop_objects(u32 to) {
  while (bf_osp > to) {
    struct object *o = &bf_objects[bf_ostack[--bf_osp]];
    clear(undef(o->start), o->size);
    bf_bury(o);
  }
}

/* The stack below is for library code again, which no check follows. */
static void drop_frame(void) {
  if (bf_osp != bf_frame->osp) drop_objects(bf_frame->osp);
  memset(undef(bf_frame->base), 0, bf_frame->size);
  bf_frame--;
}
void __ck_leave(void) { drop_frame(); }

void __ck_setjmp(u8 *base) {
  struct live_frame *f = bf_frame;
  while (f > frames && f->base != base) f--;
  if (f == frames) return;
  while (bf_frame > f) drop_frame(); /* frames that longjmp left behind */
}

u32 __ck_local(u8 *p, u64 size) {
  u32 o = bf_new_object(p, size, OB_STACK, 0);
  if (o) bf_ostack[bf_osp++] = o;
  return o;
}

/* The arguments of main end in a null pointer; what lies behind them is the environment. */
u32 __ck_argv(u32 argc, u8 *argv) { return __ck_local(argv, 8 * ((u64)argc + 1)); }

u32 __ck_dynamic(u8 *p, u64 count, u64 size) {
  bf_note_birth(p, count * size, 0);
  u32 o = bf_new_object(p, count * size, OB_DYNAMIC, 0);
  if (o) bf_ostack[bf_osp++] = o;
  return o;
}

void __ck_restore(u8 *sp) {
  while (bf_osp > bf_frame->osp) {
    struct object *o = &bf_objects[bf_ostack[bf_osp - 1]];
    if (o->kind != OB_DYNAMIC || o->start >= sp) break;
    drop_objects(bf_osp - 1);
  }
}

/* The callee's own copy of a struct argument, made by the call itself. */
u32 __ck_byval(u8 *p, u64 n, u32 arg) {
  u8 *src = arg < 16 ? __bf_args[arg] : 0;
  if (arg < 16) __bf_args[arg] = 0;
  if (src && n && memcmp(src, p, n) == 0) {
    bf_before_copy(p, src, n);
    bf_copied(p, src, n);
  } else bf_define(p, n);
  return __ck_local(p, n);
}

/* ---- copies and library code ------------------------------------------------------------------------------------------------ */

/* What is known of the source is put aside before memory changes: source and target may overlap, or one is born in the place of the other. */
static u8 *saved_undef, *saved_vals;
static u32 *saved_prov;
#define MAX_SAVED (1ull << 36) /* bytes of address space; only what is touched takes memory */

void bf_before_copy(const void *dst, const void *src, u64 n) {
  if (n > MAX_SAVED) n = MAX_SAVED;
  if (!n) return;
  memcpy(saved_undef, undef(src), n);
  memcpy(saved_vals, vals(src), n);
  u64 first = -(u64)dst & 7;
  int together = ((u64)dst & 7) == ((u64)src & 7);
  if (together)
    for (u64 i = first, k = 0; i + 8 <= n; i += 8) saved_prov[k++] = bf_pointed((const u8 *)src + i);
}
void bf_copied(void *dst, const void *src, u64 n) {
  if (n > MAX_SAVED) n = MAX_SAVED;
  if (!n) return;
  memcpy(undef(dst), saved_undef, n);
  memcpy(vals(dst), saved_vals, n);
  forget_pointers(dst, n);
  u64 first = -(u64)dst & 7;
  if (((u64)dst & 7) == ((u64)src & 7))
    for (u64 i = first, k = 0; i + 8 <= n; i += 8) *prov((u8 *)dst + i) = saved_prov[k++];
}

void __ck_copy(u8 *dst, u32 od, u8 *src, u32 os, u64 n, u32 check) {
  if (!n) return;
  __ck_l(src, n, os, 0, check);
  __ck_w(dst, n, od, 0, check);
  bf_before_copy(dst, src, n);
  bf_copied(dst, src, n);
}
void __ck_fill(u8 *p, u32 o, u64 n, u32 check) {
  if (!n) return;
  __ck_w(p, n, o, 0, check);
  bf_define(p, n);
}
void __ck_va_start(u8 *list) { bf_define(list, 24); }

void bf_wrote(const void *p, u64 n) {
  if (p && n) bf_define(p, n);
}
void bf_filled(void *p, u64 n) { bf_wrote(p, n); }
void bf_input(const void *p, u64 n, int stream, int64_t offset) { bf_wrote(p, n); }
void bf_input_result(u64 n, int stream, int64_t offset) {}
void bf_read(const void *p, u64 n) {
  if (__ck_printing && p && n && bf_is_undefined(p, n)) bf_memory_error(UNDEFINED_OUTPUT, __ck_at);
}
void bf_output(u64 n, const struct bf_piece *pieces, u32 npieces) {}
void bf_output_at(u64 n, int64_t offset) {}

/* ---- start ------------------------------------------------------------------------------------------------------------------- */

const u64 bf_checks_reserved = 32ull << 20; /* more than all of the below, in megabytes */

void *bf_reserve(u64 n) {
  void *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) _exit(125);
  return p;
}
static void map_shadow(u64 at, u64 n) {
  void *p = mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *)at) _exit(125);
}

int bf_is_log(int fd) {
  (void)fd;
  return 0; /* nothing is recorded */
}

void bf_checks_start(void *stack_top) {
  bf_stack_top = stack_top;
  map_shadow(SH_UNDEF, 1ull << 42);
  map_shadow(SH_VALS, 1ull << 42);
  map_shadow(SH_PROV, 1ull << 41);
  map_shadow(SH_HEAP, 1ull << 40);
  saved_undef = bf_reserve(MAX_SAVED);
  saved_vals = bf_reserve(MAX_SAVED);
  saved_prov = bf_reserve(MAX_SAVED);
  allowed = bf_reserve(__ck_count + 1);
  frames = bf_frame = bf_reserve(sizeof(struct live_frame) << 24);
  bf_ostack = bf_reserve(4ull << 27);
  frames[0] = (struct live_frame){.id = ~0u};
  bf_objects_start();
}
