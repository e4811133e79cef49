/* What the models of library functions share. A model: reads the provenance of its arguments, checks the memory the library will touch, calls the
   real function, reports the effects, leaves result and errno as the real function left them. */
#ifndef BUTFOR_LIBC_UTIL_H
#define BUTFOR_LIBC_UTIL_H
#include "rt.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define W(name) __bf_w_##name
#define ENDLESS UINT64_MAX
#define NO_ARG 0xffffu /* argument index of what comes out of a va_list */

/* Bookkeeping may change errno; the program must not notice: KEEP_ERRNO at the top, REAL(call) around the real function.
   The barriers: compilers believe that malloc and others leave errno alone. */
static inline void bf_put_errno(int *e) { errno = *e; }
#define BARRIER __asm__ volatile("" ::: "memory")
#define KEEP_ERRNO __attribute__((cleanup(bf_put_errno), unused)) int errno_ = errno
#define REAL(call) ({ errno = errno_; BARRIER; __typeof__(call) real_ = (call); BARRIER; errno_ = errno; real_; })
#define REAL_VOID(call) do { errno = errno_; BARRIER; (call); BARRIER; errno_ = errno; } while (0)

static inline int bf_wild(const void *p) { return (uintptr_t)p < 4096; } /* the real function is going to crash on it */

/* How many bytes from p on can be looked at without leaving the object; ENDLESS when nothing is known of it, 0 when p is bad. */
static inline u64 bf_room(const void *p, u32 prov) {
    if (bf_wild(p)) return 0;
    if (prov == BF_NOPROV || prov == BF_LOOKUP) return ENDLESS;
    u32 object = prov & ~BF_WEAK;
    u64 size = bf_object_size(object), at = (uintptr_t)p - (uintptr_t)bf_object_start(object);
    return at >= size || bf_object_dead(object) ? 0 : size - at;
}

/* Bytes of the string at p that a function reads which stops at the terminator or after max bytes, terminator included; 0 when p is wild.
   Reports a string that leaves its object. Looks at no byte that the real function will not look at. */
static inline u64 bf_text(const char *p, u64 max, u32 prov) {
    u64 room = bf_room(p, prov), limit = room < max ? room : max;
    u64 n = limit == ENDLESS ? strlen(p) : limit ? strnlen(p, limit) : 0;
    if (n < limit) return n + 1;
    if (limit == max) return max;
    bf_check(p, room + 1, prov, 0);
    if (bf_wild(p)) return 0;
    n = max == ENDLESS ? strlen(p) : strnlen(p, max);
    return n < max ? n + 1 : max;
}

/* Length of the text in what bf_text returned. */
static inline u64 bf_text_length(const char *p, u64 n) { return n && !p[n - 1] ? n - 1 : n; }

/* Reads of a whole string, argument i. */
static inline void bf_reads_text(int i, const char *p) {
    u64 n = bf_text(p, ENDLESS, bf_arg(i, p));
    if (n) bf_read(p, n);
}

/* Argument i, which may be null, points to n bytes that the library reads, or will write. */
static inline void bf_reads(int i, const void *p, u64 n) {
    if (!p) return;
    bf_check(p, n, bf_arg(i, p), 0);
    if (!bf_wild(p)) bf_read(p, n);
}
static inline void bf_will_write(int i, const void *p, u64 n) {
    if (p && n) bf_check(p, n, bf_arg(i, p), 1);
}

/* For lengths that the program chose: a call with an absurd one will crash in the library, and must not do so in the shadow. */
static inline u64 bf_sane(const void *p, u64 n, u32 prov) {
    if (bf_wild(p)) return 0;
    u64 room = bf_room(p, prov), most = room == ENDLESS ? 1ull << 30 : room + (1 << 20);
    return n < most ? n : most;
}

static inline int bf_overlap(const void *a, u64 na, const void *b, u64 nb) {
    return (uintptr_t)a < (uintptr_t)b + nb && (uintptr_t)b < (uintptr_t)a + na;
}

/* A string that a library function left in memory of its own. */
static inline char *bf_own_text(char *p) {
    if (p) bf_wrote(p, strlen(p) + 1);
    __bf_retp = BF_NOPROV;
    return p;
}

/* A copy whose source is still there unchanged after the real call. */
static inline void bf_copied_late(void *dst, const void *src, u64 n) {
    if (!n) return;
    bf_before_copy(dst, src, n);
    bf_copied(dst, src, n);
}

/* libc_stream.c: where a stream stands. bf_position gives the offset of the next byte, or -1. Every model that moves a stream says so. */
int bf_stream(FILE *f);
int64_t bf_position(FILE *f);
void bf_moved(FILE *f, int64_t by); /* by bytes that were read or put back */
void bf_lost(FILE *f);              /* to somewhere: ask again */
void bf_closed(FILE *f);
void bf_memstream(FILE *f, char **buffer, size_t *size);
void bf_memstreams_written(FILE *f, int closing); /* after fflush, fclose; null: all */

/* libc_format.c: what a printf call shows. */
#define BF_PIECES 64
struct bf_shown {
    u64 total;  /* bytes of the whole text */
    u32 n;      /* pieces */
    int failed; /* the format was not understood: total and pieces are void */
    int err;    /* in: errno of the program, for %m */
    u32 ncounts;
    struct { void *p; u32 size; } counts[8]; /* targets of %n */
    struct bf_piece piece[BF_PIECES];
    struct { const char *from; u32 at, n; } text[BF_PIECES]; /* %s: n bytes from `from` are shown at `at`; from = 0: no string */
};
void bf_show(struct bf_shown *o, const char *format, u32 prov, u32 first, va_list ap);
/* After the real call: what it wrote through %n, and for text that went into memory the size bytes at dst. */
void bf_shown_counts(const struct bf_shown *o);
void bf_shown_into(const struct bf_shown *o, char *dst, u64 size);
#endif
