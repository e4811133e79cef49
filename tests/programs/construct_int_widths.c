/*
 * what: every integer width, signed and unsigned; a checksum loses bits in a narrow field
 * failure: assertion
 * message: total == 70000
 */
#include <assert.h>
#include <stdio.h>

struct widths {
    signed char c;
    unsigned char uc;
    short s;
    unsigned short us;
    int i;
    unsigned u;
    long l;
    unsigned long ul;
    long long ll;
    unsigned long long ull;
};

static long narrow(long value)
{
    unsigned short kept = (unsigned short)value; /* @cause */
    return kept;                                 /* @cause */
}

int main(void)
{
    struct widths w;
    long total;
    int shown = 0;

    w.c = -5;
    w.uc = (unsigned char)w.c;
    w.s = (short)(w.uc * 3);
    w.us = (unsigned short)-w.s;
    w.i = w.us - 64783 + 69000; /* @cause */
    w.u = (unsigned)w.i >> 1;
    w.l = w.i + 1000L; /* @cause */
    w.ul = (unsigned long)w.l << 33 >> 33;
    w.ll = -w.l;
    w.ull = (unsigned long long)w.ll;
    shown = (int)(w.ull >> 60); /* @clean */
    total = narrow(w.l);        /* @cause */
    printf("%d %u %d %u %d %u %ld %lu %lld %d\n", w.c, w.uc, w.s, w.us, w.i, w.u, w.l, w.ul,
           w.ll, shown);
    assert(total == 70000); /* @fail */
    return 0;
}
