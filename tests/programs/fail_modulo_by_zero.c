/*
 * what: modulo by zero: the size of a hash table is computed as zero
 * args: 3
 * failure: division
 * signal: SIGFPE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    unsigned size;
    unsigned used;
};

static unsigned round_down(unsigned n)
{
    return n & ~7u; /* @cause */
}

static void init(struct table *t, int want)
{
    t->size = round_down(want * 2); /* @cause */
    t->used = 0;
}

static unsigned slot(const struct table *t, const char *key)
{
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h % t->size; /* @fail */
}

int main(int argc, char **argv)
{
    struct table t;
    int longest = 0;
    init(&t, atoi(argv[1])); /* @cause */
    longest += (int)strlen("first"); /* @clean */
    printf("%u %d\n", slot(&t, "first"), longest);
    return 0;
}
