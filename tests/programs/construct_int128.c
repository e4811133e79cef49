/*
 * what: 128 bit integers, multiplication, shifts and division
 * args: 18446744073709551615 3
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

static u128 mul(unsigned long a, unsigned long b)
{
    return (u128)a * b; /* @cause */
}

static unsigned long high(u128 v)
{
    return (unsigned long)(v >> 65); /* @cause */
}

int main(int argc, char **argv)
{
    unsigned long a, b, hi, digits = 0;
    __int128 sign;
    u128 v, rest;

    if (argc < 3)
        return 2;
    a = strtoul(argv[1], 0, 10); /* @cause */
    b = strtoul(argv[2], 0, 10); /* @cause */
    v = mul(a, b);               /* @cause */
    sign = -(__int128)v / 7;     /* @clean */
    for (rest = v; rest != 0; rest /= 10)
        digits++; /* @clean */
    hi = high(v); /* @cause */
    printf("digits %lu negative %d high %lu\n", digits, sign < 0, hi);
    assert(hi == 2); /* @fail */
    return 0;
}
