/*
 * what: alloca and variable length arrays, sizeof of a VLA, VLA in a loop
 * args: 5
 * failure: assertion
 */
#include <alloca.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int triangle(int n)
{
    int sum = 0, k;
    for (k = 1; k <= n; k++) {
        int row[k];
        int i;
        for (i = 0; i < k; i++)
            row[i] = i ? row[i - 1] + i : 1; /* @cause */
        sum += row[k - 1];                   /* @cause */
    }
    return sum;
}

static int digits(const char *s)
{
    char *copy = alloca(strlen(s) + 1);
    strcpy(copy, s);
    return (int)strlen(copy); /* @clean */
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]); /* @cause */
    long buffer[n + 2];
    int t, d, bytes;

    d = digits(argv[1]);
    bytes = (int)sizeof buffer; /* @clean */
    t = triangle(n);            /* @cause */
    printf("%d %d %d\n", d, bytes, t);
    assert(t == 20); /* @fail */
    return 0;
}
