/*
 * what: stack overflow by runaway recursion: the base case is stepped over
 * args: 7
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>
#include <stdlib.h>

static int calls_seen = 1;

static long half_sum(long n)
{
    char pad[256];
    pad[0] = (char)n;
    if (n == 0) /* @cause */
        return pad[0];
    return n + half_sum(n - 2); /* @cause */
}

int main(int argc, char **argv)
{
    long n = atol(argv[1]); /* @cause */
    calls_seen += 2; /* @clean */
    printf("%ld %d\n", half_sum(n), calls_seen);
    return 0;
}
