/*
 * what: float, double and long double arithmetic with infinities, NaN, rounding and comparisons; does not fail
 * libs: -lm
 * expect-stdout: "inf -inf nan 1 0 1 | 2 -2 3 -2 | 1.414214 0.333333 | 0.1000000015 1e+300\n"
 * failure: none
 */
#include <math.h>
#include <stdio.h>

static double zero;

int main(void)
{
    double inf = 1.0 / zero, nan_ = fabs(inf - inf);
    float third = 1.0f / 3.0f, tenth = 0.1f;
    long double ld = 1e300L;
    int cmp1 = !(nan_ == nan_), cmp2 = nan_ < 1.0, cmp3 = inf > 1e308;

    printf("%g %g %g %d %d %d | ", inf, -inf, nan_, cmp1, cmp2, cmp3);
    printf("%.0f %.0f %.0f %.0f | ", floor(2.7), ceil(-2.7), round(2.5), trunc(-2.7));
    printf("%f %f | %.10f %Lg\n", sqrt(2.0), third, tenth, ld);
    return 0;
}
