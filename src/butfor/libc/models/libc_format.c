/* What a printf call is going to show: the text of each conversion, and the strings it reads. */
#include "libc_util.h"
#include <wchar.h>

enum { SHORT_SHORT = 1, SHORT, LONG, LONG_LONG, MAXIMAL }; /* length modifiers; MAXIMAL: j z t, which make no long double */
struct spec {
    char text[48];             /* from % to the conversion, for snprintf */
    int star_width, star_prec; /* taken from the arguments */
    int width, prec;           /* prec -1: none */
    int left, plain, length;   /* plain: no flags, width, precision */
    char conv;
};

static int digit(char c) { return c >= '0' && c <= '9'; }

static const char *number(const char *f, int *value) {
    for (*value = 0; digit(*f); f++) *value = *value < 100000000 ? *value * 10 + *f - '0' : *value;
    return f;
}

/* f follows a %. Gives the place after the conversion, or 0 for what is not understood (positional arguments above all). */
static const char *parse(const char *f, struct spec *s) {
    const char *from = f - 1, *d = f;
    *s = (struct spec){.prec = -1, .plain = 1};
    while (digit(*d)) d++;
    if (d > f && *d == '$') return 0;
    for (; *f && strchr("-+ #0'I", *f); f++) {
        if (*f == '-') s->left = 1;
        s->plain = 0;
    }
    if (*f == '*' || digit(*f)) s->plain = 0;
    if (*f == '*') s->star_width = 1, f++;
    else f = number(f, &s->width);
    if (s->star_width && digit(*f)) return 0;
    if (*f == '.') {
        s->plain = 0;
        f++;
        if (*f == '*') s->star_prec = 1, f++;
        else f = number(f, &s->prec);
        if (s->star_prec && digit(*f)) return 0;
    }
    switch (*f) {
        case 'h': s->length = *++f == 'h' ? f++, SHORT_SHORT : SHORT; break;
        case 'l': s->length = *++f == 'l' ? f++, LONG_LONG : LONG; break;
        case 'L': case 'q': f++, s->length = LONG_LONG; break;
        case 'j': case 'z': case 't': case 'Z': f++, s->length = MAXIMAL; break;
    }
    s->conv = *f++;
    u64 n = f - from;
    if (!s->conv || n >= sizeof s->text) return 0;
    memcpy(s->text, from, n);
    return f;
}

static int digits(unsigned long long v) {
    int n = 1;
    while (v > 9) v /= 10, n++;
    return n;
}

/* The strings of a call are checked against their objects and read; v* functions have no provenance for them. */
static u32 prov_of(u32 arg, const void *p) { return arg < 16 ? bf_arg(arg, p) : bf_lookup(p); }

/* %s: the length of its text, without padding; notes where the text comes from. */
static int show_string(struct bf_shown *o, const struct spec *s, const char *p, u32 arg, int null_length) {
    if (!p) return null_length;
    u64 n = bf_text(p, s->prec < 0 ? ENDLESS : (u64)s->prec, prov_of(arg, p));
    u64 length = bf_text_length(p, n);
    if (n) bf_read(p, n);
    if (o->n < BF_PIECES) {
        u64 pad = !s->left && (u64)s->width > length ? s->width - length : 0;
        o->text[o->n].from = p;
        o->text[o->n].at = o->total + pad;
        o->text[o->n].n = length;
    }
    return length;
}

static void read_wide(const wchar_t *p, int prec, u32 arg) {
    if (bf_wild(p)) return;
    u32 prov = prov_of(arg, p);
    u64 n = prec < 0 ? wcslen(p) + 1 : wcsnlen(p, prec);
    if (!n) return;
    bf_check(p, n * sizeof *p, prov, 0);
    bf_read(p, n * sizeof *p);
}

#define MEASURE(v) (errno = o->err, nstars == 0 ? snprintf(0, 0, s.text, v) : nstars == 1 ? snprintf(0, 0, s.text, star[0], v) \
                                                                                        : snprintf(0, 0, s.text, star[0], star[1], v))
#define NEXT(type) (arg += arg < NO_ARG, va_arg(ap, type))

void bf_show(struct bf_shown *o, const char *format, u32 prov, u32 first, va_list args) {
    u32 arg = first;
    u64 size = bf_text(format, ENDLESS, prov);
    va_list ap;
    o->total = o->n = o->failed = o->ncounts = 0;
    if (!size) {
        o->failed = 1;
        return;
    }
    bf_read(format, size);
    va_copy(ap, args);
    for (const char *f = format;;) {
        const char *percent = strchrnul(f, '%');
        o->total += percent - f;
        if (!*percent) break;
        struct spec s;
        f = parse(percent + 1, &s);
        if (!f) {
            o->failed = 1;
            break;
        }
        if (s.conv == '%') {
            o->total++;
            continue;
        }
        int star[2], nstars = 0, n = -1;
        if (s.star_width) {
            int w = star[nstars++] = NEXT(int);
            if (w < 0) s.left = 1;
            s.width = w < 0 ? -w : w;
        }
        if (s.star_prec) {
            int p = star[nstars++] = NEXT(int);
            s.prec = p < 0 ? -1 : p;
        }
        if (o->n < BF_PIECES) o->text[o->n].from = 0;
        u32 shown = arg; /* the argument that this conversion shows */
        switch (s.conv) {
            case 'd': case 'i': {
                long long v = s.length >= LONG ? NEXT(long long) : NEXT(int);
                n = s.plain && s.length != SHORT && s.length != SHORT_SHORT ? digits(v < 0 ? -(unsigned long long)v : (unsigned long long)v) + (v < 0)
                    : s.length >= LONG ? MEASURE(v) : MEASURE((int)v);
                break;
            }
            case 'o': case 'u': case 'x': case 'X': case 'b': case 'B': {
                unsigned long long v = s.length >= LONG ? NEXT(unsigned long long) : NEXT(unsigned);
                n = s.length >= LONG ? MEASURE(v) : MEASURE((unsigned)v);
                break;
            }
            case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
                if (s.length == LONG_LONG) n = MEASURE(NEXT(long double));
                else n = MEASURE(NEXT(double));
                break;
            case 'c':
                if (s.length == LONG) n = MEASURE(NEXT(wint_t));
                else (void)NEXT(int), n = s.width > 1 ? s.width : 1;
                break;
            case 'C': n = MEASURE(NEXT(wint_t)); break;
            case 'S': case 's':
                if (s.conv == 'S' || s.length == LONG) {
                    const wchar_t *p = NEXT(const wchar_t *);
                    n = MEASURE(p);
                    read_wide(p, s.prec, shown);
                } else {
                    const char *p = NEXT(const char *);
                    if (p && bf_wild(p)) { /* the real call crashes here */
                        bf_check(p, 1, prov_of(shown, p), 0);
                        o->failed = 1;
                        break;
                    }
                    n = show_string(o, &s, p, shown, p ? 0 : MEASURE(p)); /* glibc shows (null) */
                    if (n < s.width) n = s.width;
                }
                break;
            case 'p': n = MEASURE(NEXT(void *)); break;
            case 'm': shown = NO_ARG, n = MEASURE(0); break;
            case 'n': {
                static const u8 sizes[] = {4, 1, 2, 8, 8, 8};
                void *p = NEXT(void *);
                bf_check(p, sizes[s.length], prov_of(shown, p), 1);
                if (o->ncounts < 8) o->counts[o->ncounts].p = p, o->counts[o->ncounts++].size = sizes[s.length];
                continue;
            }
        }
        if (n < 0) { /* not known, or refused by the library */
            o->failed = 1;
            break;
        }
        if (o->n < BF_PIECES) o->piece[o->n++] = (struct bf_piece){o->total, o->total + n, shown};
        o->total += n;
    }
    va_end(ap);
    if (o->failed) o->n = 0;
}

void bf_shown_counts(const struct bf_shown *o) {
    for (u32 i = 0; i < o->ncounts; i++) bf_wrote(o->counts[i].p, o->counts[i].size);
}

void bf_shown_into(const struct bf_shown *o, char *dst, u64 size) {
    if (!size) return;
    bf_wrote(dst, size);
    for (u32 i = 0; i < o->n; i++) {
        u64 at = o->text[i].at, n = o->text[i].n;
        if (!o->text[i].from || at >= size - 1) continue;
        if (n > size - 1 - at) n = size - 1 - at; /* snprintf cut it off */
        if (!bf_overlap(dst, size, o->text[i].from, n)) bf_copied_late(dst + at, o->text[i].from, n);
        else if (n) bf_report(ER_OVERLAP, dst, size, bf_lookup(dst) & ~BF_WEAK, 1);
    }
}
