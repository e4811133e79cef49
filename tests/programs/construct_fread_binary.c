/*
 * what: standard input by fread into structs, byte order, fwrite back to a file
 * stdin: "\u0001\u0000\u0000\u0002\u0010\u0027\u0002\u0000\u0000\u0003\u0020\u004e"
 * failure: assertion
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

struct record {
    uint8_t id;
    uint8_t flags;
    uint8_t be[2];
    uint16_t le;
};

static unsigned big_endian(const uint8_t *b)
{
    return b[1] << 8 | b[0]; /* @cause */
}

int main(void)
{
    struct record r[4];
    unsigned sum = 0, other = 0;
    size_t n, i;

    n = fread(r, sizeof r[0], 4, stdin); /* @cause */
    for (i = 0; i < n; i++) {
        sum += big_endian(r[i].be); /* @cause */
        other += r[i].le;           /* @clean */
    }
    printf("%d records %u %u\n", (int)n, sum, other);
    assert(sum == 5); /* @fail */
    return 0;
}
