/*
 * what: a temperature read as a floating-point number
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
    double celsius;
    int level;

    if (scanf("%lf", &celsius) != 1)
        return 1;
    if (celsius < 36.5)
        level = 0;
    else if (celsius <= 38.0)
        level = 1;
    else if (celsius > 39.5)
        level = 3;
    else
        level = 2;
    assert(level != 2); /* @fail */
    return 0;
}
