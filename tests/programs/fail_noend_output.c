/*
 * what: an infinite loop with output: a countdown steps over zero
 * args: 5 2
 * steps: 300000
 * failure: no-end
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned churn(unsigned v)
{
    int i;
    for (i = 0; i < 20000; i++)
        v = v * 1664525u + 1013904223u; /* @clean */
    return v;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);    /* @cause */
    int step = atoi(argv[2]); /* @cause */
    unsigned noise = 1;

    while (n != 0) { /* @cause */
        noise = churn(noise);
        printf("left %d\n", n);
        n -= step; /* @cause */
    }
    return noise == 0;
}
