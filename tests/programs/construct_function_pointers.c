/*
 * what: function pointer tables, callbacks with context, function returning a function pointer
 * args: sub 9 4
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long (*binary)(long, long);

static long add(long a, long b) { return a + b; }
static long sub(long a, long b) { return b - a; } /* @cause */
static long mul(long a, long b) { return a * b; }

static const struct op {
    const char *name;
    binary run;
} ops[] = {
    {"add", add},
    {"sub", sub},
    {"mul", mul},
};

static binary find(const char *name)
{
    unsigned i;
    for (i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, name) == 0)
            return ops[i].run;
    return NULL;
}

static void each(const long *v, int n, void (*visit)(long, void *), void *ctx)
{
    int i;
    for (i = 0; i < n; i++)
        visit(v[i], ctx);
}

static void count(long v, void *ctx)
{
    *(long *)ctx += v; /* @clean */
}

int main(int argc, char **argv)
{
    long v[2], result, seen = 0;
    binary f;

    if (argc != 4)
        return 2;
    f = find(argv[1]);     /* @cause */
    v[0] = atol(argv[2]);  /* @cause */
    v[1] = atol(argv[3]);  /* @cause */
    each(v, 2, count, &seen);
    result = (*f)(v[0], v[1]); /* @cause */
    printf("%ld of %ld\n", result, seen);
    assert(result == 5); /* @fail */
    return 0;
}
