/*
 * what: partial overlaps: write bytes, read wider integers over them
 * args: 1 2 3 4
 * failure: assertion
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

union slot {
    uint8_t b[8];
    uint32_t w[2];
    uint64_t q;
};

static union slot slot;

static void fill(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++)
        slot.b[4 - i] = (uint8_t)atoi(argv[i]); /* @cause */
    slot.b[7] = 0x80; /* @clean */
}

int main(int argc, char **argv)
{
    uint32_t ip;

    fill(argc, argv);
    slot.b[1] ^= 0x10; /* @cause */
    ip = slot.w[0];    /* @cause */
    printf("%08x %d\n", ip, slot.q >> 63 == 1);
    assert(ip == 0x01020304u); /* @fail */
    return 0;
}
