/*
 * what: volatile accesses, const objects, restrict and register qualifiers
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static volatile unsigned reg[4];
static const unsigned mask = 0x0f;

static void write_reg(volatile unsigned *r, const unsigned v)
{
    *r = v & mask; /* @cause */
}

static int copy(int *restrict to, const int *restrict from, int n)
{
    register int i;
    for (i = 0; i < n; i++)
        to[i] = from[i]; /* @clean */
    return i;
}

int main(void)
{
    const int src[3] = {1, 2, 3};
    int dst[3];
    volatile int spins = 5;
    unsigned v;

    write_reg(&reg[1], 0x35); /* @cause */
    write_reg(&reg[2], 0x03); /* @clean */
    while (spins)
        spins--;
    copy(dst, src, 3);
    v = reg[1]; /* @cause */
    printf("%d %u %u\n", dst[2], reg[2], v);
    assert(v == 0x35); /* @fail */
    return 0;
}
