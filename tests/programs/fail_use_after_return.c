/*
 * what: a pointer to a local array is kept and read after the function returned
 * failure: memory
 * memory: use-after-return
 */
#include <stdio.h>

static int *saved;
static int fills;

static void remember(int *p)
{
    saved = p; /* @cause */
}

static int fill(int start)
{
    int local[4], i, sum = 0;
    for (i = 0; i < 4; i++) {
        local[i] = start + i;
        sum += local[i];
    }
    fills++; /* @clean */
    remember(&local[1]); /* @cause */
    return sum;
}

int main(void)
{
    int s = fill(10);      /* @cause */
    int v = *saved;        /* @fail */
    printf("%d %d\n", s, v != 123456);
    return 0;
}
