/* bits: tricks with 32-bit words
 * bits OP HEX...      op: count rev gray ungray crc pack set next ilog */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(n) (UINT32_C(1) << (n))
#define MASK(n) ((n) >= 32 ? UINT32_MAX : BIT(n) - 1)

typedef uint32_t word;

static int popcount(word x)
{
    int n = 0;
    while (x != 0) {
        x &= x - 1;
        n++;
    }
    return n;
}

static word reverse(word x)
{
    x = ((x & 0x55555555) << 1) | ((x >> 1) & 0x55555555);
    x = ((x & 0x33333333) << 2) | ((x >> 2) & 0x33333333);
    x = ((x & 0x0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f);
    x = ((x & 0x00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff);
    return (x << 16) | (x >> 16);
}

static word gray(word x)
{
    return x ^ (x >> 1);
}

static word ungray(word g)
{
    word x = g;
    for (int shift = 1; shift < 32; shift *= 2)
        x ^= x >> shift;
    return x;
}

static int ilog2(word x)
{
    int n = 0;
    for (int step = 16; step > 0; step /= 2) {
        if (x >> step) {
            x >>= step;
            n += step;
        }
    }
    return n;
}

static uint8_t crc8(const uint8_t *data, int length)
{
    uint8_t crc = 0;
    for (int i = 0; i < length; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1);
    }
    return crc;
}

/* The next larger word with as many ones, or 0. */
static word next_combination(word x)
{
    if (x == 0)
        return 0;
    word low = x & -x;
    word ripple = x + low;
    if (ripple == 0)
        return 0;
    word ones = ((x ^ ripple) >> 2) / low;
    return ripple | ones;
}

static word put_field(word x, int at, int width, word value)
{
    word mask = MASK(width) << at;
    return (x & ~mask) | ((value << at) & mask);
}

static word get_field(word x, int at, int width)
{
    return (x >> at) & MASK(width);
}

static void print_set(word x)
{
    const char *comma = "";
    printf("{");
    for (int i = 0; i < 32; i++) {
        if (x & BIT(i)) {
            printf("%s%d", comma, i);
            comma = ",";
        }
    }
    printf("} %d\n", popcount(x));
}

static int run(const char *op, const word *arg, int n)
{
    if (strcmp(op, "crc") == 0) {
        uint8_t data[16];
        int length = 0;
        for (int i = 0; i < n; i++)
            for (int shift = 24; shift >= 0 && length < 16; shift -= 8)
                data[length++] = (uint8_t)(arg[i] >> shift);
        printf("%02x\n", crc8(data, length));
    } else if (strcmp(op, "pack") == 0) { /* fields of 5, 6, 5 bits as in RGB565, then a byte of flags */
        static const int widths[] = { 5, 6, 5, 8 };
        word packed = 0;
        int at = 0;
        for (int i = 0; i < n && i < 4; i++) {
            packed = put_field(packed, at, widths[i], arg[i]);
            at += widths[i];
        }
        printf("%08" PRIx32 " %d\n", packed, (int)get_field(packed, 5, 6));
    } else {
        for (int i = 0; i < n; i++) {
            if (strcmp(op, "count") == 0)
                printf("%d%s\n", popcount(arg[i]), popcount(arg[i]) % 2 ? " odd" : "");
            else if (strcmp(op, "rev") == 0)
                printf("%08" PRIx32 "\n", reverse(arg[i]));
            else if (strcmp(op, "gray") == 0)
                printf("%08" PRIx32 "\n", gray(arg[i]));
            else if (strcmp(op, "ungray") == 0)
                printf("%08" PRIx32 "\n", ungray(arg[i]));
            else if (strcmp(op, "next") == 0)
                printf("%08" PRIx32 "\n", next_combination(arg[i]));
            else if (strcmp(op, "ilog") == 0)
                printf("%d\n", ilog2(arg[i]));
            else if (strcmp(op, "set") == 0)
                print_set(arg[i]);
            else
                return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    word arg[8];
    int n = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: bits OP HEX...\n");
        return 2;
    }
    for (int i = 2; i < argc && n < 8; i++)
        arg[n++] = (word)strtoul(argv[i], NULL, 16);
    if (!run(argv[1], arg, n)) {
        printf("unknown operation %s\n", argv[1]);
        return 1;
    }
    return 0;
}
