/* Models of functions that allocate. */
#include "libc_util.h"
#include <malloc.h>
#include <stdlib.h>

static void *born(void *p, u64 n, int zeroed) {
    __bf_retp = p ? bf_born(p, n, zeroed) : BF_NOPROV;
    return p;
}
void *W(malloc)(size_t n) {
    KEEP_ERRNO;
    return born(REAL(malloc(n)), n, 0);
}
void *W(calloc)(size_t n, size_t size) {
    KEEP_ERRNO;
    return born(REAL(calloc(n, size)), (u64)n * size, 1);
}
void *W(aligned_alloc)(size_t align, size_t n) {
    KEEP_ERRNO;
    return born(REAL(aligned_alloc(align, n)), n, 0);
}
void *W(memalign)(size_t align, size_t n) {
    KEEP_ERRNO;
    return born(REAL(memalign(align, n)), n, 0);
}
void *W(valloc)(size_t n) {
    KEEP_ERRNO;
    return born(REAL(valloc(n)), n, 0);
}
int W(posix_memalign)(void **out, size_t align, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, out);
    bf_check(out, sizeof *out, prov, 1);
    int r = REAL(posix_memalign(out, align, n));
    if (!r) {
        bf_wrote(out, sizeof *out);
        if (*out) bf_born(*out, n, 0);
    }
    return r;
}

/* The object that free or realloc ends; reports a pointer that they must not get. 0: nothing is known of it.
   An object found by address only may have been replaced by a block that libc gave out unseen: then just a place inside a live object is certain. */
static u32 doomed(void *p, u32 prov) {
    if (prov == BF_NOPROV || prov == BF_LOOKUP) return 0;
    u32 object = prov & ~BF_WEAK;
    int first = bf_object_start(object) == p, dead = bf_object_dead(object), heap = bf_object_kind(object) == OB_HEAP;
    if (heap && first && !dead) return object;
    if (prov & BF_WEAK && !bf_room(p, prov)) return 0;
    bf_report(heap && first ? ER_DOUBLE_FREE : ER_BAD_FREE, p, 0, object, 1);
    return 0;
}
void W(free)(void *p) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p), object = p ? doomed(p, prov) : 0;
    if (object) bf_died(object);
    REAL_VOID(free(p));
}
void W(cfree)(void *p) {
    W(free)(p);
}

/* What was asked for, not what libc rounded it up to: a program that uses the rest would look as if it left its object. */
size_t W(malloc_usable_size)(void *p) {
    u32 prov = bf_arg(0, p);
    u64 room = bf_room(p, prov);
    return p && room != ENDLESS ? room : malloc_usable_size(p);
}

static void *resize(void *old, u64 n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, old), object = old ? doomed(old, prov) : 0;
    /* a block that libc gave out unseen: what it holds must not look as if it were never written */
    u64 had = object ? bf_object_size(object) : old && prov == BF_NOPROV && !bf_wild(old) ? malloc_usable_size(old) : 0, keep = had < n ? had : n;
    uintptr_t was = (uintptr_t)old; /* only a number once the block is gone */
    void *p = REAL(realloc(old, n));
    if (!p && n) { /* failed: the old block stays */
        __bf_retp = BF_NOPROV;
        return 0;
    }
    if (p && keep) bf_before_copy(p, (void *)was, keep); /* the old block is gone but its shadow is not, until the new one is born in its place */
    if (object) bf_died(object);
    born(p, n, 0);
    if (p && keep) bf_copied(p, (void *)was, keep);
    return p;
}
void *W(realloc)(void *old, size_t n) {
    return resize(old, n);
}
void *W(reallocarray)(void *old, size_t n, size_t size) {
    size_t all;
    if (!__builtin_mul_overflow(n, size, &all)) return resize(old, all);
    errno = ENOMEM;
    __bf_retp = BF_NOPROV;
    return 0;
}

static char *duplicate(const char *s, u64 max) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    u64 n = bf_text(s, max, prov), length = bf_text_length(s, n);
    char *p = max == ENDLESS ? REAL(strdup(s)) : REAL(strndup(s, max));
    born(p, length + 1, 0);
    if (p) {
        bf_copied_late(p, s, n);
        if (n == length) bf_wrote(p + length, 1); /* a terminator that is not from s */
    }
    return p;
}
char *W(strdup)(const char *s) {
    return duplicate(s, ENDLESS);
}
char *W(__strdup)(const char *s) {
    return duplicate(s, ENDLESS);
}
char *W(strndup)(const char *s, size_t n) {
    return duplicate(s, n);
}
char *W(__strndup)(const char *s, size_t n) {
    return duplicate(s, n);
}
