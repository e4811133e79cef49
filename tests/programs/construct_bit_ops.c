/*
 * what: shifts, rotations, masks, popcount, builtins; a crc with a wrong polynomial
 * args: "123456789"
 * failure: output
 * expect-stdout: "crc cbf43926 bits 17\n"
 */
#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];

static void make_table(void)
{
    uint32_t c;
    int n, k;
    for (n = 0; n < 256; n++) {
        c = (uint32_t)n;
        for (k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88230u ^ (c >> 1) : c >> 1; /* @cause */
        table[n] = c;                                    /* @cause */
    }
}

static uint32_t rotl(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

int main(int argc, char **argv)
{
    uint32_t crc = ~0u, mix = 1; /* @cause */
    const char *s;

    make_table();
    for (s = argv[1]; *s; s++) {
        crc = table[(crc ^ (unsigned char)*s) & 0xff] ^ crc >> 8; /* @cause */
        mix = rotl(mix ^ (unsigned char)*s, 5);                   /* @clean */
    }
    crc = ~crc;                                                      /* @cause */
    printf("crc %08x bits %d\n", crc, __builtin_popcount(crc)); /* @fail */
    return mix ? 0 : 1;
}
