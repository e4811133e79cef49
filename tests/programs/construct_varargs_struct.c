/*
 * what: structs as variable arguments: small in registers, double pairs, big through memory
 * failure: assertion
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct pair {
    int a, b;
};
struct point {
    double x, y;
};
struct big {
    long v[5];
};

static long collect(const char *fmt, ...)
{
    va_list ap;
    long sum = 0;
    va_start(ap, fmt);
    for (; *fmt; fmt++) {
        if (*fmt == 'p') {
            struct pair p = va_arg(ap, struct pair);
            sum += p.a * p.b;
        } else if (*fmt == 'd') {
            struct point d = va_arg(ap, struct point);
            sum += (long)(d.x + d.y);
        } else {
            struct big b = va_arg(ap, struct big);
            sum += b.v[0] - b.v[4]; /* @cause */
        }
    }
    va_end(ap);
    return sum;
}

int main(void)
{
    struct pair p = {3, 4};
    struct point d = {1.5, 2.5};
    struct big b = {{10, 20, 30, 40, 50}}; /* @cause */
    long r;
    int taken;

    taken = p.a * (int)d.x; /* @clean */
    r = collect("pdbpb", p, d, b, p, b);    /* @cause */
    printf("%ld %d\n", r, taken);
    assert(r == 28 + 120); /* @fail */
    return 0;
}
