/*
 * what: exit with a wrong status from a comparison called by qsort, with a handler of atexit
 * expect-exit: 0
 * failure: exit-status
 */
#include <stdio.h>
#include <stdlib.h>

static int compared;

static void summary(void)
{
    printf("compared %s\n", compared ? "some" : "none");
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    compared++; /* @clean */
    if (x == y) /* @cause */
        exit(x + 1); /* @fail */
    return x < y ? -1 : 1;
}

int main(void)
{
    int v[4] = {9, 4, 7, 1}; /* @cause */
    atexit(summary);
    v[2] = v[2] - 3; /* @cause */
    qsort(v, 4, sizeof v[0], compare); /* @cause */
    printf("%d\n", v[0]);
    return 0;
}
