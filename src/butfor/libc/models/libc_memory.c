/* Models of functions on blocks of memory. */
#include "libc_util.h"
#include <strings.h>

void __chk_fail(void) __attribute__((noreturn));

static void *copy(void *dst, u32 pd, const void *src, u32 ps, u64 n, u64 limit, int may_overlap) {
    u64 m = 0;
    if (n) {
        bf_check(src, n, ps, 0);
        bf_check(dst, n, pd, 1);
        /* dst == src is what compilers make of the assignment of a struct to itself */
        if (!may_overlap && dst != src && bf_overlap(dst, n, src, n)) bf_report(ER_OVERLAP, dst, n, pd & ~BF_WEAK, 1);
        m = bf_sane(src, bf_sane(dst, n, pd), ps);
        if (m) bf_before_copy(dst, src, m);
        if (n > limit) __chk_fail();
    }
    if (may_overlap) memmove(dst, src, n);
    else memcpy(dst, src, n);
    if (m) bf_copied(dst, src, m);
    __bf_retp = pd;
    return dst;
}
#define COPY(name, may_overlap, result)                                                        \
    void *W(name)(void *dst, const void *src, size_t n) {                                      \
        KEEP_ERRNO;                                                                            \
        u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);                                          \
        copy(dst, pd, src, ps, n, ENDLESS, may_overlap);                                       \
        return result;                                                                         \
    }                                                                                          \
    void *W(__##name##_chk)(void *dst, const void *src, size_t n, size_t limit) {              \
        KEEP_ERRNO;                                                                            \
        u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);                                          \
        copy(dst, pd, src, ps, n, limit, may_overlap);                                         \
        return result;                                                                         \
    }
COPY(memcpy, 0, dst)
COPY(memmove, 1, dst)
COPY(mempcpy, 0, (char *)dst + n)
void W(bcopy)(const void *src, void *dst, size_t n) {
    KEEP_ERRNO;
    u32 ps = bf_arg(0, src), pd = bf_arg(1, dst);
    copy(dst, pd, src, ps, n, ENDLESS, 1);
}

void *W(memccpy)(void *dst, const void *src, int c, size_t n) {
    KEEP_ERRNO;
    u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);
    u64 room = bf_room(src, ps), m = 0;
    while (m < n && m < room && ((const u8 *)src)[m++] != (u8)c) {}
    if (m == room && m < n && (!m || ((const u8 *)src)[m - 1] != (u8)c)) { /* leaves its object before c is found */
        bf_check(src, room + 1, ps, 0);
        if (!bf_wild(src)) while (m < n && ((const u8 *)src)[m++] != (u8)c) {}
    }
    if (m) bf_check(dst, m, pd, 1);
    if (m) bf_before_copy(dst, src, m);
    void *r = memccpy(dst, src, c, n);
    if (m) bf_copied(dst, src, m);
    __bf_retp = r ? pd : BF_NOPROV;
    return r;
}

static void *fill(void *p, int c, u64 n, u64 limit) {
    u32 prov = bf_arg(0, p);
    if (n) bf_check(p, n, prov, 1);
    if (n > limit) __chk_fail();
    memset(p, c, n);
    if (n) bf_filled(p, n);
    __bf_retp = prov;
    return p;
}
void *W(memset)(void *p, int c, size_t n) {
    KEEP_ERRNO;
    return fill(p, c, n, ENDLESS);
}
void *W(__memset_chk)(void *p, int c, size_t n, size_t limit) {
    KEEP_ERRNO;
    return fill(p, c, n, limit);
}
void W(bzero)(void *p, size_t n) {
    KEEP_ERRNO;
    fill(p, 0, n, ENDLESS);
}
void W(explicit_bzero)(void *p, size_t n) {
    KEEP_ERRNO;
    fill(p, 0, n, ENDLESS);
}

static int compare(const void *a, const void *b, u64 n) {
    u32 pa = bf_arg(0, a), pb = bf_arg(1, b);
    if (!n) return memcmp(a, b, n);
    bf_check(a, n, pa, 0);
    bf_check(b, n, pb, 0);
    int r = memcmp(a, b, n);
    u64 m = 0;
    if (!r) m = n;
    else while (((const u8 *)a)[m] == ((const u8 *)b)[m]) m++;
    if (m < n) m++;
    bf_read(a, m);
    bf_read(b, m);
    return r;
}
int W(memcmp)(const void *a, const void *b, size_t n) {
    KEEP_ERRNO;
    return compare(a, b, n);
}
int W(bcmp)(const void *a, const void *b, size_t n) {
    KEEP_ERRNO;
    return compare(a, b, n);
}

static void *found(const void *p, u32 prov) {
    __bf_retp = p ? prov : BF_NOPROV;
    return (void *)p;
}
void *W(memchr)(const void *p, int c, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p);
    u64 room = bf_room(p, prov), limit = room < n ? room : n;
    const char *r = limit ? memchr(p, c, limit) : 0;
    if (!r && limit < n) bf_check(p, n, prov, 0);
    r = memchr(p, c, n);
    if (n) bf_read(p, r ? (u64)(r - (const char *)p) + 1 : n);
    return found(r, prov);
}
void *W(rawmemchr)(const void *p, int c) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p);
    u64 room = bf_room(p, prov);
    if (room != ENDLESS && (!room || !memchr(p, c, room))) bf_check(p, room + 1, prov, 0);
    const char *r = rawmemchr(p, c);
    bf_read(p, (u64)(r - (const char *)p) + 1);
    return found(r, prov);
}
void *W(memrchr)(const void *p, int c, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p);
    if (n) bf_check(p, n, prov, 0);
    const char *r = memrchr(p, c, n);
    u64 from = r ? (u64)(r - (const char *)p) : 0;
    if (n) bf_read((const char *)p + from, n - from);
    return found(r, prov);
}
void *W(memmem)(const void *p, size_t n, const void *what, size_t m) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, p), pw = bf_arg(2, what);
    if (n) bf_check(p, n, prov, 0);
    if (m) bf_check(what, m, pw, 0);
    const char *r = memmem(p, n, what, m);
    if (n) bf_read(p, r ? (u64)(r - (const char *)p) + m : n);
    if (m) bf_read(what, m);
    return found(r, prov);
}
