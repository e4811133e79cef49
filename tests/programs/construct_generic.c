/*
 * what: C11 _Generic selection, _Static_assert, anonymous structs and unions, _Alignas
 * cflags: -std=gnu11
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

struct variant {
    int type;
    union {
        long i;
        double d;
        struct {
            const char *text;
            int len;
        };
    };
};

_Static_assert(sizeof(long) == 8, "64 bit only");

static struct variant from_int(long v) { return (struct variant){.type = 1, .i = v * 10}; } /* @cause */
static struct variant from_double(double v) { return (struct variant){.type = 2, .d = v}; }
static struct variant from_text(const char *s) { return (struct variant){.type = 3, .text = s, .len = 2}; }

#define VARIANT(x) _Generic((x), int: from_int, long: from_int, double: from_double, char *: from_text)(x)

static long as_int(const struct variant *v)
{
    return v->type == 1 ? v->i : v->type == 2 ? (long)v->d : v->len; /* @cause */
}

int main(void)
{
    _Alignas(16) struct variant a = VARIANT(7); /* @cause */
    struct variant b = VARIANT(2.5);            /* @clean */
    struct variant c = VARIANT("ab");           /* @clean */
    long x = as_int(&a);                        /* @cause */

    printf("%ld %g %s\n", x, b.d, c.text);
    assert(x == 7); /* @fail */
    return 0;
}
