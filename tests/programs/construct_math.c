/*
 * what: libm functions: sqrt, pow, floor, fmod, sin, fabs, lround, isnan
 * libs: -lm
 * failure: assertion
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>

struct triangle {
    double a, b, c;
};

static double area(const struct triangle *t)
{
    double s = (t->a + t->b + t->c) / 2;
    return sqrt(s * (s - t->a) * (s - t->b) * (s - t->b)); /* @cause */
}

int main(void)
{
    struct triangle t = {3, 4, 5}; /* @cause */
    double angle, ar;
    long rounded;

    t.c = hypot(t.a, t.b);              /* @cause */
    angle = fmod(atan2(t.a, t.b), 2.0); /* @clean */
    ar = area(&t);                      /* @cause */
    rounded = lround(pow(ar, 2));       /* @cause */
    printf("%.3f %.3f %ld %d\n", ar, sin(angle) + floor(2.7), rounded, isnan(ar));
    assert(rounded == 36); /* @fail */
    return 0;
}
