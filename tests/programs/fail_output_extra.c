/*
 * what: extra output: one line too many from a loop bound
 * args: 3
 * failure: output
 * expect-stdout: "line 1\nline 2\nline 3\n"
 */
#include <stdio.h>
#include <stdlib.h>

struct range {
    int from, to;
};

static struct range range(int n)
{
    struct range r;
    r.from = 1;
    r.to = n + 1; /* @cause */
    return r;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]); /* @cause */
    struct range r = range(n); /* @cause */
    int i, sum = 0;

    for (i = r.from; i <= r.to; i++) { /* @cause */
        sum += i; /* @clean */
        printf("line %d\n", i); /* @fail */
    }
    return sum > 99;
}
