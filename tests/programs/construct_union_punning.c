/*
 * what: unions for type punning: float bits, integer halves, bytes
 * failure: assertion
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

union word {
    float f;
    uint32_t u;
    uint16_t half[2];
    uint8_t byte[4];
};

union big {
    double d;
    uint64_t u;
    struct {
        uint32_t low, high;
    } part;
};

static int exponent(float f)
{
    union word w;
    w.f = f;                           /* @cause */
    w.half[1] &= 0x7fff;               /* @cause */
    return (int)(w.u >> 22) - 127;     /* @cause */
}

int main(void)
{
    union big b;
    union word w;
    int e, sum = 0, i;

    b.d = -2.0;
    w.f = 1.0f;
    for (i = 0; i < 4; i++)
        sum += w.byte[i]; /* @clean */
    e = exponent(-8.0f);  /* @cause */
    printf("%08x %d %d\n", b.part.high, sum, e);
    assert(b.part.high == 0xc0000000u && b.part.low == 0);
    assert(e == 3); /* @fail */
    return 0;
}
