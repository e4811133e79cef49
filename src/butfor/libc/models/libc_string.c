/* Models of string functions that read: lengths, comparisons, searches. */
#include "libc_util.h"

size_t W(strlen)(const char *s) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    u64 room = bf_room(s, prov), n = room == ENDLESS ? strlen(s) : room ? strnlen(s, room) : 0;
    if (n == room) {
        bf_check(s, room + 1, prov, 0);
        n = strlen(s);
    }
    bf_read(s, n + 1);
    return n;
}

size_t W(strnlen)(const char *s, size_t max) {
    KEEP_ERRNO;
    u64 n = bf_text(s, max, bf_arg(0, s));
    size_t r = strnlen(s, max);
    if (n) bf_read(s, n);
    return r;
}

/* Bytes that a comparison looks at: up to the first difference or the common end, it included. `fold` maps bytes before they are compared. */
static inline int fold(int fold, u8 c) { return fold && c >= 'A' && c <= 'Z' ? c + 32 : c; }
static inline u64 compared(const char *a, const char *b, u64 max, int folded) {
    u64 i = 0;
    while (i < max && a[i] && fold(folded, a[i]) == fold(folded, b[i])) i++;
    return i;
}

/* Checks and reads of a comparison that has not happened yet; max is a bound of the call, or ENDLESS. */
static inline void compares(const char *a, u32 pa, const char *b, u32 pb, u64 max, int folded) {
    u64 ra = bf_room(a, pa), rb = bf_room(b, pb), room = ra < rb ? ra : rb, limit = room < max ? room : max;
    u64 n = limit ? compared(a, b, limit, folded) : 0;
    if (n == limit && limit < max) { /* one of the strings leaves its object before the outcome is known */
        if (ra == room) bf_check(a, room + 1, pa, 0);
        if (rb == room) bf_check(b, room + 1, pb, 0);
        if (bf_wild(a) || bf_wild(b)) return;
        n = compared(a, b, max, folded);
    }
    if (n < max) n++;
    if (!n) return;
    bf_read(a, n);
    bf_read(b, n);
}

int W(strcmp)(const char *a, const char *b) {
    KEEP_ERRNO;
    compares(a, bf_arg(0, a), b, bf_arg(1, b), ENDLESS, 0);
    return strcmp(a, b);
}
int W(strncmp)(const char *a, const char *b, size_t n) {
    KEEP_ERRNO;
    compares(a, bf_arg(0, a), b, bf_arg(1, b), n, 0);
    return strncmp(a, b, n);
}
int W(strcasecmp)(const char *a, const char *b) {
    KEEP_ERRNO;
    compares(a, bf_arg(0, a), b, bf_arg(1, b), ENDLESS, 1);
    return strcasecmp(a, b);
}
int W(strncasecmp)(const char *a, const char *b, size_t n) {
    KEEP_ERRNO;
    compares(a, bf_arg(0, a), b, bf_arg(1, b), n, 1);
    return strncasecmp(a, b, n);
}
static void reads_two(const char *a, const char *b) {
    u32 pa = bf_arg(0, a), pb = bf_arg(1, b);
    u64 na = bf_text(a, ENDLESS, pa), nb = bf_text(b, ENDLESS, pb);
    if (na) bf_read(a, na);
    if (nb) bf_read(b, nb);
}
int W(strcoll)(const char *a, const char *b) {
    KEEP_ERRNO;
    reads_two(a, b);
    return REAL(strcoll(a, b));
}
int W(strverscmp)(const char *a, const char *b) {
    KEEP_ERRNO;
    reads_two(a, b);
    return REAL(strverscmp(a, b));
}

static inline char *result(const char *p, u32 prov) {
    __bf_retp = p ? prov : BF_NOPROV;
    return (char *)p;
}

/* Reads of a search for c that also stops at the terminator. */
static inline void seeks(const char *s, int c, u32 prov) {
    u64 room = bf_room(s, prov), i = 0;
    while (i < room && s[i] && s[i] != (char)c) i++;
    if (i == room) {
        bf_check(s, room + 1, prov, 0);
        if (bf_wild(s)) return;
        while (s[i] && s[i] != (char)c) i++;
    }
    bf_read(s, i + 1);
}
char *W(strchr)(const char *s, int c) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    seeks(s, c, prov);
    return result(strchr(s, c), prov);
}
char *W(index)(const char *s, int c) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    seeks(s, c, prov);
    return result(strchr(s, c), prov);
}
char *W(strchrnul)(const char *s, int c) {
    KEEP_ERRNO;
    u32 prov = bf_arg(0, s);
    seeks(s, c, prov);
    return result(strchrnul(s, c), prov);
}
static char *last(const char *s, int c) {
    u32 prov = bf_arg(0, s);
    u64 n = bf_text(s, ENDLESS, prov);
    if (n) bf_read(s, n);
    return result(strrchr(s, c), prov);
}
char *W(strrchr)(const char *s, int c) {
    KEEP_ERRNO;
    return last(s, c);
}
char *W(rindex)(const char *s, int c) {
    KEEP_ERRNO;
    return last(s, c);
}

/* Searches for a string or a set: their extent is known from the result, so bad pointers are checked before and the rest after. */
static void first_byte(const char *s, u32 prov) {
    if (!bf_room(s, prov)) bf_check(s, 1, prov, 0);
}
static void looked_at(const char *s, u64 n, u32 prov) {
    if (n > bf_room(s, prov)) bf_check(s, n, prov, 0);
    if (n) bf_read(s, n);
}
static char *search(const char *s, const char *what, char *(*real)(const char *, const char *), int is_set) {
    u32 prov = bf_arg(0, s), pw = bf_arg(1, what);
    first_byte(s, prov);
    u64 nw = bf_text(what, ENDLESS, pw);
    char *r = real(s, what);
    looked_at(s, !r ? strlen(s) + 1 : is_set ? (u64)(r - s) + 1 : (u64)(r - s) + nw - 1, prov);
    if (nw) bf_read(what, nw);
    return result(r, prov);
}
static char *do_strstr(const char *s, const char *w) { return (char *)strstr(s, w); }
static char *do_strcasestr(const char *s, const char *w) { return (char *)strcasestr(s, w); }
static char *do_strpbrk(const char *s, const char *w) { return (char *)strpbrk(s, w); }
char *W(strstr)(const char *s, const char *w) {
    KEEP_ERRNO;
    return search(s, w, do_strstr, 0);
}
char *W(strcasestr)(const char *s, const char *w) {
    KEEP_ERRNO;
    return search(s, w, do_strcasestr, 0);
}
char *W(strpbrk)(const char *s, const char *w) {
    KEEP_ERRNO;
    return search(s, w, do_strpbrk, 1);
}
static size_t span(const char *s, const char *set, size_t (*real)(const char *, const char *)) {
    u32 prov = bf_arg(0, s), pw = bf_arg(1, set);
    first_byte(s, prov);
    u64 nw = bf_text(set, ENDLESS, pw);
    size_t r = real(s, set);
    looked_at(s, r + 1, prov);
    if (nw) bf_read(set, nw);
    return r;
}
size_t W(strspn)(const char *s, const char *set) {
    KEEP_ERRNO;
    return span(s, set, strspn);
}
size_t W(strcspn)(const char *s, const char *set) {
    KEEP_ERRNO;
    return span(s, set, strcspn);
}

/* Cuts a token off the string at b: what is read is known before, because the delimiter is overwritten. Gives the place of the terminator that
   will be written, or 0. */
static char *token_end(char *b, u32 prov, const char *delim, u32 pd, int skip) {
    first_byte(b, prov);
    u64 nd = bf_text(delim, ENDLESS, pd);
    if (bf_wild(b) || !nd) return 0;
    char *from = b + (skip ? strspn(b, delim) : 0), *end = from + strcspn(from, delim);
    looked_at(b, end - b + 1, prov);
    bf_read(delim, nd);
    return *end && (!skip || *from) ? end : 0;
}

static char *strtok_next; /* the real strtok hides its state, and the provenance of later results comes from it */
static u32 strtok_prov;
char *W(strtok)(char *s, const char *delim) {
    KEEP_ERRNO;
    u32 pd = bf_arg(1, delim);
    if (s) strtok_prov = bf_arg(0, s);
    char *end = token_end(s ? s : strtok_next, strtok_prov, delim, pd, 1);
    char *r = strtok_r(s, delim, &strtok_next);
    if (end) bf_wrote(end, 1);
    return result(r, strtok_prov);
}
static char *next_token(char *s, const char *delim, char **save) {
    u32 prov = bf_arg(0, s), pd = bf_arg(1, delim), ps = bf_arg(2, save);
    bf_check(save, sizeof *save, ps, 1);
    if (!s && !bf_wild(save)) {
        bf_read(save, sizeof *save);
        s = *save;
        prov = bf_lookup(s);
    }
    char *end = token_end(s, prov, delim, pd, 1);
    char *r = strtok_r(s, delim, save);
    if (end) bf_wrote(end, 1);
    bf_wrote(save, sizeof *save);
    return result(r, prov);
}
char *W(strtok_r)(char *s, const char *delim, char **save) {
    KEEP_ERRNO;
    return next_token(s, delim, save);
}
char *W(__strtok_r)(char *s, const char *delim, char **save) {
    KEEP_ERRNO;
    return next_token(s, delim, save);
}
char *W(strsep)(char **at, const char *delim) {
    KEEP_ERRNO;
    u32 pa = bf_arg(0, at), pd = bf_arg(1, delim), prov = BF_NOPROV;
    char *end = 0;
    bf_check(at, sizeof *at, pa, 1);
    if (!bf_wild(at)) {
        bf_read(at, sizeof *at);
        prov = bf_lookup(*at);
        if (*at) end = token_end(*at, prov, delim, pd, 0);
    }
    char *r = strsep(at, delim);
    if (end) bf_wrote(end, 1);
    if (r) bf_wrote(at, sizeof *at);
    return result(r, prov);
}
