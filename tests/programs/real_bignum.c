/*
 * what: big numbers in base 10000: addition, multiplication, factorial, printing; a block misses its leading zeros
 * args: 20
 * failure: output
 * expect-stdout: "20! = 2432902008176640000\nfib = 12586269025\nsum = 2432902020762909025\n"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 10000
#define MAXLIMBS 32

struct big {
    int n;
    int limb[MAXLIMBS];
};

static long limb_operations;

static struct big big_from(long v)
{
    struct big b;
    memset(&b, 0, sizeof b);
    do {
        b.limb[b.n++] = (int)(v % BASE); /* @cause */
        v /= BASE;
    } while (v);
    return b;
}

static void normalise(struct big *b)
{
    while (b->n > 1 && b->limb[b->n - 1] == 0)
        b->n--;
}

static struct big big_add(const struct big *a, const struct big *b)
{
    struct big s;
    int i, carry = 0;
    memset(&s, 0, sizeof s);
    for (i = 0; i < a->n || i < b->n || carry; i++) {
        int t = a->limb[i] + b->limb[i] + carry;
        s.limb[i] = t % BASE;
        carry = t / BASE;
        s.n = i + 1;
    }
    return s;
}

static struct big big_mul(const struct big *a, const struct big *b)
{
    struct big p;
    int i, j;
    memset(&p, 0, sizeof p);
    p.n = a->n + b->n;
    for (i = 0; i < a->n; i++) {
        long carry = 0;
        for (j = 0; j < b->n || carry; j++) {
            long t = p.limb[i + j] + (long)a->limb[i] * b->limb[j] + carry; /* @cause */
            p.limb[i + j] = (int)(t % BASE); /* @cause */
            carry = t / BASE;
            limb_operations++; /* @clean */
        }
    }
    normalise(&p);
    return p;
}

static int big_compare(const struct big *a, const struct big *b)
{
    int i;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static char *big_text(const struct big *b, char *out)
{
    char *p = out;
    int i;
    p += sprintf(p, "%d", b->limb[b->n - 1]);
    for (i = b->n - 2; i >= 0; i--)                                  /* @cause */
        p += sprintf(p, b->limb[i] < 1000 ? "%03d" : "%d", b->limb[i]); /* @cause */
    return out;
}

static struct big factorial(int n)
{
    struct big f = big_from(1);
    int i;
    for (i = 2; i <= n; i++) {
        struct big k = big_from(i); /* @cause */
        f = big_mul(&f, &k);        /* @cause */
    }
    return f;
}

static struct big fibonacci(int n)
{
    struct big a = big_from(0), b = big_from(1), t;
    while (n-- > 0) {
        t = big_add(&a, &b);
        a = b;
        b = t;
    }
    return a;
}

int main(int argc, char **argv)
{
    char text[MAXLIMBS * 4 + 1];
    struct big f, g, s;
    int n;

    if (argc != 2)
        return 2;
    n = atoi(argv[1]);    /* @cause */
    f = factorial(n);     /* @cause */
    g = fibonacci(50); /* @clean */
    printf("%d! = %s\n", n, big_text(&f, text)); /* @fail */
    printf("fib = %s\n", big_text(&g, text));
    s = big_add(&f, &g);
    printf("sum = %s\n", big_text(&s, text));
    return big_compare(&s, &f) > 0 ? 0 : 1;
}
