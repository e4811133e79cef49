/*
 * what: sscanf with several conversions; the assignment of two fields is swapped
 * args: "mix 12:45:07 0x1f 2.5"
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

struct clock {
    int h, m, s;
};

static int parse(const char *text, struct clock *c, char *name, unsigned *flags, double *scale)
{
    return sscanf(text, "%7s %d:%d:%d %x %lf", name, &c->m, &c->h, &c->s, flags, scale); /* @cause */
}

int main(int argc, char **argv)
{
    struct clock c = {0, 0, 0};
    char name[8];
    unsigned flags;
    double scale;
    long seconds;
    int got;

    got = parse(argv[1], &c, name, &flags, &scale); /* @cause */
    seconds = c.h * 3600L + c.m * 60 + c.s;         /* @cause */
    flags |= 0x100u;                                /* @clean */
    scale = scale * got;                            /* @clean */
    printf("%d %s %x %g\n", got, name, flags, scale);
    assert(seconds == 45907); /* @fail */
    return 0;
}
