/*
 * what: INT_MIN divided by minus one
 * args: -2147483648 3
 * failure: division
 * signal: SIGFPE
 */
#include <stdio.h>
#include <stdlib.h>

static int direction(int steps)
{
    return steps % 2 ? -1 : 1; /* @cause */
}

static int scaled(int v, int by)
{
    return v / by; /* @fail */
}

int main(int argc, char **argv)
{
    int v = (int)strtol(argv[1], NULL, 10); /* @cause */
    int steps = atoi(argv[2]);              /* @cause */
    int label;

    label = steps * 100;                    /* @clean */
    v = scaled(v, direction(steps));        /* @cause */
    printf("%d %d\n", v, label);
    return 0;
}
