/*
 * what: partial overlaps: write integers, read bytes and shifted words
 * failure: assertion
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned char wire[12];

static void put(int at, uint32_t v)
{
    memcpy(wire + at, &v, sizeof v); /* @cause */
}

static int parity(void)
{
    int i, p = 0;
    for (i = 2; i < 6; i++)
        p ^= wire[i]; /* @cause */
    return p;
}

int main(void)
{
    uint32_t across;
    int p;

    put(0, 0x04030201u); /* @cause */
    put(4, 0x08070605u); /* @clean */
    put(8, 0xffffffffu); /* @clean */
    *(uint16_t *)(wire + 4) = 0x1105; /* @cause */
    memcpy(&across, wire + 2, 4);
    p = parity(); /* @cause */
    printf("%08x %d\n", across, p);
    assert(p == (3 ^ 4 ^ 5 ^ 6)); /* @fail */
    return 0;
}
