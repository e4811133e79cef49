/*
 * what: NULL pointer write: a slot of a pointer table was never filled
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 4

static int *rows[ROWS];

static void allocate(int n)
{
    int i;
    for (i = 0; i < n - 1; i++) /* @omission */
        rows[i] = calloc(3, sizeof(int));
}

static void store(int r, int c, int v)
{
    rows[r][c] = v; /* @fail */
}

int main(void)
{
    int r, c, sum = 0;
    allocate(ROWS);
    for (r = 0; r < ROWS; r++)      /* @cause */
        for (c = 0; c < 3; c++) {
            store(r, c, r * c); /* @cause */
            sum += r;           /* @clean */
        }
    printf("%d\n", sum);
    return 0;
}
