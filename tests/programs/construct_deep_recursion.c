/*
 * what: ten thousand levels of recursion that succeed, then a wrong sum
 * args: 10000
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int deepest;

static long sum(int n)
{
    if (n > deepest)
        deepest = n; /* @clean */
    if (n < 1)       /* @cause */
        return 0;
    if (n == 5000)
        return sum(n - 1); /* @cause */
    return n + sum(n - 1); /* @cause */
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]); /* @cause */
    long s = sum(n);       /* @cause */
    printf("%ld %d\n", s, deepest);
    assert(s == 50005000); /* @fail */
    return 0;
}
