/* Models of functions that copy strings. `limit` is the size of the destination as a fortified caller knows it. */
#include "libc_util.h"

void __chk_fail(void) __attribute__((noreturn)); /* glibc's end of a fortified call that would overflow */

/* n bytes go from src to dst: checks, and saves the writers. */
static void will_copy(void *dst, u32 pd, const void *src, u64 n) {
    if (!n) return;
    bf_check(dst, n, pd, 1);
    if (dst != src && bf_overlap(dst, n, src, n)) bf_report(ER_OVERLAP, dst, n, pd & ~BF_WEAK, 1);
    bf_before_copy(dst, src, n);
}

static u64 copy_string(char *dst, const char *src, u64 limit) {
    u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);
    u64 n = bf_text(src, ENDLESS, ps);
    will_copy(dst, pd, src, n);
    if (n > limit) __chk_fail();
    strcpy(dst, src);
    bf_copied(dst, src, n);
    __bf_retp = pd;
    return n - 1;
}
char *W(strcpy)(char *dst, const char *src) {
    KEEP_ERRNO;
    copy_string(dst, src, ENDLESS);
    return dst;
}
char *W(__strcpy_chk)(char *dst, const char *src, size_t limit) {
    KEEP_ERRNO;
    copy_string(dst, src, limit);
    return dst;
}
char *W(stpcpy)(char *dst, const char *src) {
    KEEP_ERRNO;
    return dst + copy_string(dst, src, ENDLESS);
}
char *W(__stpcpy_chk)(char *dst, const char *src, size_t limit) {
    KEEP_ERRNO;
    return dst + copy_string(dst, src, limit);
}

static u64 copy_bounded(char *dst, const char *src, u64 n, u64 limit) {
    u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);
    u64 m = bf_text(src, n, ps), length = bf_text_length(src, m);
    if (n) bf_check(dst, n, pd, 1);
    if (dst != src && n && bf_overlap(dst, n, src, m)) bf_report(ER_OVERLAP, dst, n, pd & ~BF_WEAK, 1);
    if (m) bf_before_copy(dst, src, m);
    if (n > limit) __chk_fail();
    strncpy(dst, src, n);
    if (m) bf_copied(dst, src, m);
    if (n > m) bf_filled(dst + m, n - m);
    __bf_retp = pd;
    return length;
}
char *W(strncpy)(char *dst, const char *src, size_t n) {
    KEEP_ERRNO;
    copy_bounded(dst, src, n, ENDLESS);
    return dst;
}
char *W(__strncpy_chk)(char *dst, const char *src, size_t n, size_t limit) {
    KEEP_ERRNO;
    copy_bounded(dst, src, n, limit);
    return dst;
}
char *W(stpncpy)(char *dst, const char *src, size_t n) {
    KEEP_ERRNO;
    return dst + copy_bounded(dst, src, n, ENDLESS);
}
char *W(__stpncpy_chk)(char *dst, const char *src, size_t n, size_t limit) {
    KEEP_ERRNO;
    return dst + copy_bounded(dst, src, n, limit);
}

/* Appends at most max bytes of src and a terminator. */
static char *append(char *dst, const char *src, u64 max, u64 limit) {
    u32 pd = bf_arg(0, dst), ps = bf_arg(1, src);
    u64 old = bf_text(dst, ENDLESS, pd), n = bf_text(src, max, ps);
    u64 length = bf_text_length(src, n), kept = old ? old - 1 : 0;
    char *end = dst + kept;
    if (old) bf_read(dst, old);
    if (!bf_wild(dst)) {
        bf_check(dst, kept + length + 1, pd, 1);
        if (bf_overlap(end, length + 1, src, n)) bf_report(ER_OVERLAP, end, length + 1, pd & ~BF_WEAK, 1);
        if (n) bf_before_copy(end, src, n);
        if (kept + length + 1 > limit) __chk_fail();
    }
    if (max == ENDLESS) strcat(dst, src);
    else strncat(dst, src, max);
    if (n) bf_copied(end, src, n);
    if (n == length) bf_wrote(end + length, 1); /* a terminator that is not from src */
    __bf_retp = pd;
    return dst;
}
char *W(strcat)(char *dst, const char *src) {
    KEEP_ERRNO;
    return append(dst, src, ENDLESS, ENDLESS);
}
char *W(__strcat_chk)(char *dst, const char *src, size_t limit) {
    KEEP_ERRNO;
    return append(dst, src, ENDLESS, limit);
}
char *W(strncat)(char *dst, const char *src, size_t n) {
    KEEP_ERRNO;
    return append(dst, src, n, ENDLESS);
}
char *W(__strncat_chk)(char *dst, const char *src, size_t n, size_t limit) {
    KEEP_ERRNO;
    return append(dst, src, n, limit);
}

size_t W(strxfrm)(char *dst, const char *src, size_t n) {
    KEEP_ERRNO;
    u32 pd = bf_arg(0, dst);
    bf_reads_text(1, src);
    size_t r = REAL(strxfrm(dst, src, n));
    if (n) bf_check(dst, r < n ? r + 1 : n, pd, 1);
    if (n) bf_wrote(dst, r < n ? r + 1 : n);
    return r;
}

char *W(strerror)(int e) {
    KEEP_ERRNO;
    return bf_own_text(REAL(strerror(e)));
}
char *W(strsignal)(int e) {
    KEEP_ERRNO;
    return bf_own_text(REAL(strsignal(e)));
}
char *W(strerror_r)(int e, char *buffer, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, buffer);
    char *r = REAL(strerror_r(e, buffer, n)); /* the GNU one: the text may lie elsewhere */
    bf_own_text(r);
    if (r == buffer) {
        bf_check(r, strlen(r) + 1, prov, 1);
        __bf_retp = prov;
    }
    return r;
}
int __xpg_strerror_r(int, char *, size_t);
int W(__xpg_strerror_r)(int e, char *buffer, size_t n) {
    KEEP_ERRNO;
    u32 prov = bf_arg(1, buffer);
    int r = REAL(__xpg_strerror_r(e, buffer, n));
    if (n) {
        u64 m = strnlen(buffer, n - 1) + 1;
        bf_check(buffer, m, prov, 1);
        bf_wrote(buffer, m);
    }
    return r;
}
