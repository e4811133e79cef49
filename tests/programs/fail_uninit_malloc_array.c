/*
 * what: one element of a heap array stays uninitialised and is summed, then printed
 * args: 6
 * failure: memory
 * memory: uninitialised
 */
#include <stdio.h>
#include <stdlib.h>

static int *squares(int n)
{
    int *v = malloc(n * sizeof *v); /* @cause */
    int i;
    for (i = 1; i < n; i++) /* starts at the wrong index */
        v[i] = i * i;
    return v;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int *v = squares(n); /* @cause */
    int i, sum = 0, steps = 0;

    for (i = 0; i < n; i++) { /* @cause */
        sum += v[i];          /* @cause */
        steps += 2;           /* @clean */
    }
    printf("sum %d\n", sum); /* @fail */
    free(v);
    return steps > 100;
}
