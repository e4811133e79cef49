/*
 * what: integer division by zero: the count stays zero when every item is skipped
 * args: -3 -8 -1
 * failure: division
 * signal: SIGFPE
 */
#include <stdio.h>
#include <stdlib.h>

struct stats {
    long sum;
    int count;
    int skipped;
};

static void feed(struct stats *s, long v)
{
    if (v < 0) { /* @omission */
        s->skipped++; /* @clean */
        return;
    }
    s->sum += v;
    s->count++;
}

static long mean(const struct stats *s)
{
    return s->sum / s->count; /* @fail */
}

int main(int argc, char **argv)
{
    struct stats s = {0, 0, 0}; /* @cause */
    int i;
    for (i = 1; i < argc; i++)
        feed(&s, atol(argv[i]));
    printf("mean %ld\n", mean(&s));
    return 0;
}
