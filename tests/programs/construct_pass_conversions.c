/*
 * what: conversions among all arithmetic types, sign extension, truncation, shifts; does not fail
 * expect-stdout: "-128 128 -1 65535 4294967295 -1 255 1 3 -3 16777216 1 0 44 -2\n"
 * failure: none
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
    signed char c = (signed char)0x80;
    unsigned char uc = (unsigned char)c;
    short s = (short)0xffff;
    unsigned short us = (unsigned short)s;
    unsigned u = (unsigned)s;
    long l = (int)u;
    unsigned long ul = (unsigned char)l;
    _Bool b = 0.5;
    int up = (int)3.99, down = (int)-3.99;
    float f = 16777217;
    double d = (float)0.1;
    __int128 big = (__int128)1 << 100;
    int x = 300;

    assert((unsigned)c > 4000000000u && c < 0);
    assert(-1 < 1 && !(-1 < 1u));
    assert((big >> 98) == 4 && (long)(big / ((__int128)1 << 60)) == 1L << 40);
    printf("%d %d %d %d %u %ld %lu %d %d %d %.0f %d %d %d %d\n", c, uc, s, us, u, l, ul, b, up, down, f, d != 0.1,
           (int)(unsigned char)256, (unsigned char)x, -5 / 2);
    return 0;
}
