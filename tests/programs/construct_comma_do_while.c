/*
 * what: do while, continue in for, nested breaks, compound assignments of all kinds, pre and post steps
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static unsigned long ops(unsigned long x)
{
    x += 3;
    x -= 1;
    x *= 7;
    x /= 2;
    x %= 101;
    x <<= 3;
    x >>= 1;
    x |= 0x10; /* @cause */
    x &= 0xff;
    x ^= 0x55; /* @cause */
    return x;
}

int main(void)
{
    int i = 0, odd = 0, a[4] = {1, 2, 3, 4}, *p = a, found = -1;
    unsigned long r;

    do {
        if (i % 2)
            continue;
        odd += i; /* @clean */
    } while (++i < 9);
    for (i = 0; i < 4; i++) {
        int j;
        for (j = 0; j < 4; j++)
            if (a[i] * a[j] == 6)
                break;
        if (j < 4) {
            found = i * 4 + j;
            break;
        }
    }
    i = *p++;   /* @cause */
    i += ++*p;  /* @cause */
    i -= --p[1]; /* @cause */
    r = ops(i + 11);          /* @cause */
    printf("%d %d %lu\n", odd, found, r);
    assert(r == 0x95 || r == 0x29); /* @fail */
    return 0;
}
