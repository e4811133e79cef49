/*
 * what: static inline functions, inlined helpers with out parameters, attribute always_inline
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static inline int clamp(int v, int lo, int hi)
{
    if (v < lo)
        return lo;
    if (v < hi)    /* @cause */
        return hi; /* @cause */
    return v;
}

static inline __attribute__((always_inline)) void split(int v, int *tens, int *ones)
{
    *tens = v / 10; /* @cause */
    *ones = v % 10; /* @clean */
}

int main(void)
{
    int tens, ones, v = 57;

    split(v, &tens, &ones);
    v = clamp(tens, 0, 9); /* @cause */
    printf("%d %d\n", v, ones);
    assert(v == 5); /* @fail */
    return 0;
}
