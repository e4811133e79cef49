/*
 * what: long double values in memory, arguments and results
 * args: 0.5 2.25
 * libs: -lm
 * failure: output
 * expect-stdout: "root 1.500000\nlimit 4\n"
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct range {
    long double low, high;
};

static long double middle(struct range r)
{
    return (r.low + r.high) / 2.0L;
}

static long double root(long double x)
{
    struct range r = {0.0L, 4.0L};
    int i;
    for (i = 0; i < 60; i++) {
        long double m = middle(r); /* @cause */
        if (m * m > x)             /* @cause */
            r.high = m;            /* @cause */
        else
            r.low = m;
    }
    return r.low;
}

int main(int argc, char **argv)
{
    long double start, x, y;

    if (argc != 3)
        return 1;
    start = strtold(argv[1], NULL); /* @cause */
    x = strtold(argv[2], NULL);     /* @cause */
    y = root(x + start);            /* @cause */
    printf("root %.6Lf\n", y);      /* @fail */
    y = fabsl(-4.0L);               /* @clean */
    printf("limit %.0Lf\n", y);
    return 0;
}
