/* Models of the scanf family. The format is given to the library with a %lln before and after each conversion: so it is known which conversions took
   place and which bytes of the input each one took. That needs an argument list of our own, which the ABI lets us lay out in memory.
   One trace of it is left: errno after a number out of range, if the format ends in blanks and the input ends there too. */
#include "libc_util.h"
#include <wchar.h>

enum flavour { GNU89, C99, C23 }; /* in GNU89 %as allocates */
#define REAL_SCANF(name, first)                                                                                    \
    extern int gnu_##name(first, const char *, va_list) __asm__(#name);                                           \
    extern int c99_##name(first, const char *, va_list) __asm__("__isoc99_" #name);                               \
    extern int c23_##name(first, const char *, va_list) __asm__("__isoc23_" #name) __attribute__((weak));         \
    static int real_##name(enum flavour v, first from, const char *format, va_list ap) {                          \
        return v == GNU89 ? gnu_##name(from, format, ap) : v == C23 && c23_##name ? c23_##name(from, format, ap)  \
                                                                                  : c99_##name(from, format, ap); \
    }
REAL_SCANF(vfscanf, FILE *)
REAL_SCANF(vsscanf, const char *)

#define FIELDS 48
struct field {
    char conv;    /* 's' text with terminator, 'c' text without, 'd' a number, 'n' a count */
    u8 wide, allocates;
    u32 size;     /* of a number */
    void *target;
    u32 prov;
    long long from, to; /* bytes of the input; to = -1: did not take place */
};
struct scan {
    u32 n;
    struct field field[FIELDS];
    void *args[3 * FIELDS + 1];
    char format[1024];
    long long end; /* bytes taken if everything matched, else -1 */
};

static const char *set_end(const char *f) { /* f follows a [ */
    if (*f == '^') f++;
    if (*f == ']') f++;
    while (*f && *f != ']') f++;
    return *f ? f + 1 : 0;
}

/* One conversion, f following its %. Gives the place after it, or 0. target is 0 if it stores nothing. */
static const char *conversion(const char *f, enum flavour v, struct field *o, int *stores) {
    int h = 0, l = 0, width = 0;
    *stores = 1;
    o->allocates = 0;
    for (; *f == '*' || *f == '\'' || *f == 'I'; f++) if (*f == '*') *stores = 0;
    for (; *f >= '0' && *f <= '9'; f++) width = width < 100000000 ? width * 10 + *f - '0' : width;
    if (*f == '$') return 0;
    for (;; f++) {
        if (*f == 'h') h++;
        else if (*f == 'l') l++;
        else if (*f == 'L' || *f == 'q') l += 2;
        else if (*f == 'j' || *f == 'z' || *f == 't' || *f == 'Z') l += 4; /* wide as an integer, but no long double */
        else if (*f == 'm' || (*f == 'a' && v == GNU89 && (f[1] == 's' || f[1] == 'S' || f[1] == '['))) o->allocates = 1;
        else break;
    }
    o->conv = *f++;
    o->wide = l == 1;
    o->size = l ? 8 : h >= 2 ? 1 : h ? 2 : 4;
    switch (o->conv) {
        case '%': *stores = 0; return f;
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'b': o->conv = 'd'; return f;
        case 'n': return f;
        case 'p': o->conv = 'd', o->size = sizeof(void *); return f;
        case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
            o->conv = 'd';
            o->size = l == 1 ? sizeof(double) : l == 2 ? sizeof(long double) : sizeof(float);
            return f;
        case 'C': case 'S': o->wide = 1, o->conv += 32; /* fall through */
        case 's': case 'c': o->size = width; return f;
        case '[': return set_end(f);
    }
    return 0;
}

/* Fills in the scan; 0 if the format is not understood or too long. */
static int prepare(struct scan *s, enum flavour v, const char *format, u32 first, va_list given) {
    char *out = s->format, *stop = s->format + sizeof s->format - 24;
    u32 nargs = 0, arg = first;
    va_list ap;
    va_copy(ap, given);
    s->n = 0;
    s->end = -1;
    for (const char *f = format; *f;) {
        struct field *o = &s->field[s->n];
        int stores = 0;
        const char *from = f;
        if (*f++ == '%') f = conversion(f, v, o, &stores);
        if (!f || s->n == FIELDS - 1 || f - from > stop - out) {
            va_end(ap);
            return 0;
        }
        if (stores) {
            o->from = o->to = -1;
            o->target = va_arg(ap, void *);
            o->prov = arg < 16 ? bf_arg(arg, o->target) : bf_lookup(o->target);
            arg += arg < NO_ARG;
            s->args[nargs++] = &o->from;
            s->args[nargs++] = o->target;
            s->args[nargs++] = &o->to;
            /* blanks that the conversion would skip anyway come before its first byte */
            out = stpcpy(out, o->conv == 'n' || o->conv == 'c' || o->conv == '[' ? "%lln" : " %lln");
            s->n++;
        }
        out = mempcpy(out, from, f - from);
        if (stores) out = stpcpy(out, "%lln");
    }
    stpcpy(out, "%lln");
    s->args[nargs] = &s->end;
    va_end(ap);
    return 1;
}

/* What the conversions stored. source: the string they read from, or 0 with a stream that stood at `at`. */
static void stored(struct scan *s, const char *source, u64 length, FILE *f, int64_t at) {
    for (u32 i = 0; i < s->n; i++) {
        struct field *o = &s->field[i];
        if (o->to < 0) continue;
        u64 taken = o->to - o->from, n = o->size;
        int text = o->conv != 'd' && o->conv != 'n', ends = text && o->conv != 'c';
        char *p = o->target;
        if (o->allocates) {
            p = *(char **)o->target;
            bf_check(o->target, sizeof p, o->prov, 1);
            bf_wrote(o->target, sizeof p);
        }
        if (text) n = !o->wide ? taken : ends ? 4 * wcslen((wchar_t *)p) : 4 * (u64)(o->size ? o->size : 1);
        if (o->allocates) o->prov = bf_born(p, n + (ends ? o->wide ? 4 : 1 : 0), 0);
        bf_check(p, n + (ends ? o->wide ? 4 : 1 : 0), o->prov, 1);
        if (o->conv == 'n') bf_wrote(p, n);
        else if (!source) bf_input(p, n, bf_stream(f), at < 0 ? -1 : at + o->from);
        else if (text && !o->wide && !bf_overlap(p, n, source, length)) bf_copied_late(p, source + o->from, n);
        else bf_wrote(p, n);
        if (ends) bf_wrote(p + n, o->wide ? 4 : 1);
    }
}

#ifdef __x86_64__
struct arguments { u32 integers, floats; void *memory, *registers; };
static void arguments(va_list *ap, void **args) {
    struct arguments a = {48, 176, args, 0}; /* all registers used up: everything is in memory */
    memcpy(ap, &a, sizeof a);
}
#define OWN_ARGUMENTS 1
#else
static void arguments(va_list *ap, void **args) { (void)ap, (void)args; }
#define OWN_ARGUMENTS 0 /* effects on memory are then found by comparing it */
#endif

static int from_stream(FILE *f, enum flavour v, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    struct scan s;
    va_list own;
    bf_reads_text(at, format);
    int64_t where = bf_position(f);
    if (!OWN_ARGUMENTS || bf_wild(format) || !prepare(&s, v, format, first, ap)) {
        int r = REAL(real_vfscanf(v, f, format, ap));
        bf_input_result(r > 0, bf_stream(f), where);
        bf_lost(f);
        return r;
    }
    arguments(&own, s.args);
    int r = REAL(real_vfscanf(v, f, s.format, own));
    bf_input_result(r > 0, bf_stream(f), where);
    stored(&s, 0, 0, f, where);
    if (r > 0 && r < (int)s.n && feof(f)) bf_input_result(0, bf_stream(f), where); /* it was the end that stopped it */
    if (s.end >= 0) bf_moved(f, s.end);
    else bf_lost(f);
    return r;
}

static int from_memory(const char *source, enum flavour v, const char *format, int at, u32 first, va_list ap) {
    KEEP_ERRNO;
    struct scan s;
    va_list own;
    u32 prov = bf_arg(0, source);
    bf_reads_text(at, format);
    u64 n = bf_text(source, ENDLESS, prov);
    if (!OWN_ARGUMENTS || !n || bf_wild(format) || !prepare(&s, v, format, first, ap)) {
        if (n) bf_read(source, n);
        return REAL(real_vsscanf(v, source, format, ap));
    }
    arguments(&own, s.args);
    bf_read(source, n);
    int r = REAL(real_vsscanf(v, source, s.format, own));
    stored(&s, source, n, 0, -1);
    return r;
}

#define SCAN(name, parameters, call)  \
    int W(name) parameters {          \
        va_list ap;                   \
        va_start(ap, format);         \
        int r = call;                 \
        va_end(ap);                   \
        return r;                     \
    }
#define SCANS(prefix, v)                                                                                                               \
    SCAN(prefix##scanf, (const char *format, ...), from_stream(stdin, v, format, 0, 1, ap))                                           \
    SCAN(prefix##fscanf, (FILE * f, const char *format, ...), from_stream(f, v, format, 1, 2, ap))                                    \
    SCAN(prefix##sscanf, (const char *s, const char *format, ...), from_memory(s, v, format, 1, 2, ap))                               \
    int W(prefix##vscanf)(const char *format, va_list ap) { return from_stream(stdin, v, format, 0, NO_ARG, ap); }                    \
    int W(prefix##vfscanf)(FILE *f, const char *format, va_list ap) { return from_stream(f, v, format, 1, NO_ARG, ap); }              \
    int W(prefix##vsscanf)(const char *s, const char *format, va_list ap) { return from_memory(s, v, format, 1, NO_ARG, ap); }
SCANS(, GNU89)
SCANS(__isoc99_, C99)
SCANS(__isoc23_, C23)
