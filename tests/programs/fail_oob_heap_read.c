/*
 * what: out-of-bounds read on the heap by index, no crash; the length field is one too large
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>

struct series {
    int n;
    int *v;
};

static struct series *make(int n)
{
    struct series *s = malloc(sizeof *s);
    int i;
    s->v = malloc(n * sizeof *s->v); /* @cause */
    for (i = 0; i < n; i++)
        s->v[i] = i;
    s->n = i + 1; /* @cause */
    return s;
}

static long sum(const struct series *s)
{
    long t = 0;
    int i;
    for (i = 0; i < s->n; i++) /* @cause */
        t += s->v[i];          /* @fail */
    return t;
}

int main(void)
{
    struct series *s = make(5); /* @cause */
    int unit = 3;
    long t;
    unit *= 2; /* @clean */
    t = sum(s); /* @cause */
    printf("%d %d\n", t > 9, unit);
    return 0;
}
