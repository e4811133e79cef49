/*
 * what: out-of-bounds read on the stack by a walking pointer that misses its sentinel
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>

static int examined;

static int find(const int *p, int wanted)
{
    int n = 0;
    while (*p != wanted) { /* @fail */
        p++;               /* @cause */
        n++;
        examined += 2; /* @clean */
        if (n > 6)
            break;
    }
    return n;
}

int main(void)
{
    int values[5] = {4, 8, 15, 16, 23};
    int key = 42; /* @cause */
    int n;

    n = find(values, key); /* @cause */
    printf("%d\n", n > 4);
    return 0;
}
