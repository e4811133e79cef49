/* Models of functions that turn text into numbers. The real functions go by their link names, because headers redirect strtol and the like to
   the C23 variants, which differ in what they accept. Those are weak: glibc before 2.38 does not have them. */
#include "libc_util.h"
#include <wchar.h>

static void first_byte(const char *s, u32 prov) {
    if (!bf_room(s, prov)) bf_check(s, 1, prov, 0);
}

/* The bytes that decided: up to the one that ended the number; without a number, blanks, a sign and the byte that is no digit. */
static void parsed(const char *s, const char *end, u32 prov) {
    u64 n = end - s;
    if (!n) {
        while (s[n] == ' ' || (s[n] >= '\t' && s[n] <= '\r')) n++;
        if (s[n] == '-' || s[n] == '+') n++;
    }
    n++;
    if (n > bf_room(s, prov)) bf_check(s, n, prov, 0);
    bf_read(s, n);
}

#define INTEGER(type, name, real)                                                                              \
    type W(name)(const char *s, char **end, int base) {                                                        \
        KEEP_ERRNO;                                                                                            \
        u32 prov = bf_arg(0, s), pe = bf_arg(1, end);                                                          \
        first_byte(s, prov);                                                                                   \
        if (end) bf_check(end, sizeof *end, pe, 1);                                                            \
        char *stop = (char *)s;                                                                                \
        type r = REAL(real(s, &stop, base));                                                                   \
        parsed(s, stop, prov);                                                                                 \
        if (end) *end = stop, bf_wrote(end, sizeof *end);                                                      \
        return r;                                                                                              \
    }
#define INTEGERS(type, name)                                                                                    \
    extern type real_##name(const char *, char **, int) __asm__(#name);                                        \
    extern type weak_##name(const char *, char **, int) __asm__("__isoc23_" #name) __attribute__((weak));      \
    static type real23_##name(const char *s, char **end, int base) {                                           \
        return weak_##name ? weak_##name(s, end, base) : real_##name(s, end, base);                            \
    }                                                                                                          \
    INTEGER(type, name, real_##name)                                                                           \
    INTEGER(type, __isoc23_##name, real23_##name)

INTEGERS(long, strtol)
INTEGERS(unsigned long, strtoul)
INTEGERS(long long, strtoll)
INTEGERS(unsigned long long, strtoull)
INTEGERS(intmax_t, strtoimax)
INTEGERS(uintmax_t, strtoumax)

#define FLOATING(type, name)                                                                                    \
    extern type real_##name(const char *, char **) __asm__(#name);                                             \
    type W(name)(const char *s, char **end) {                                                                  \
        KEEP_ERRNO;                                                                                            \
        u32 prov = bf_arg(0, s), pe = bf_arg(1, end);                                                          \
        first_byte(s, prov);                                                                                   \
        if (end) bf_check(end, sizeof *end, pe, 1);                                                            \
        char *stop = (char *)s;                                                                                \
        type r = REAL(real_##name(s, &stop));                                                                  \
        parsed(s, stop, prov);                                                                                 \
        if (end) *end = stop, bf_wrote(end, sizeof *end);                                                      \
        return r;                                                                                              \
    }
FLOATING(double, strtod)
FLOATING(float, strtof)
FLOATING(long double, strtold)

#define PLAIN(type, name, call)                                                                                 \
    type W(name)(const char *s) {                                                                              \
        KEEP_ERRNO;                                                                                            \
        u32 prov = bf_arg(0, s);                                                                               \
        first_byte(s, prov);                                                                                   \
        char *stop = (char *)s;                                                                                \
        type r = (type)REAL(call);                                                                             \
        parsed(s, stop, prov);                                                                                 \
        return r;                                                                                              \
    }
PLAIN(int, atoi, real_strtol(s, &stop, 10))
PLAIN(long, atol, real_strtol(s, &stop, 10))
PLAIN(long long, atoll, real_strtoll(s, &stop, 10))
PLAIN(double, atof, real_strtod(s, &stop))
