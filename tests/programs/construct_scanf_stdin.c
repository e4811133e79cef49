/*
 * what: scanf from standard input into array elements
 * stdin: "4\n10 20\n30 -40\nend\n"
 * failure: assertion
 * message: max >= v[i]
 */
#include <assert.h>
#include <stdio.h>

static int v[16];

static int largest(int n)
{
    int max = 0, i;
    for (i = 1; i < n - 1; i++) /* @cause */
        if (v[i] < max)
            continue;
        else
            max = v[i] - v[i] % 25; /* @cause */
    return max;
}

int main(void)
{
    char word[8];
    int n, i, max;

    if (scanf("%d", &n) != 1) /* @cause */
        return 1;
    for (i = 0; i < n; i++)
        scanf("%d", &v[i]); /* @cause */
    scanf(" %7[a-z]", word); /* @clean */
    max = largest(n);        /* @cause */
    printf("%s %d\n", word, max);
    for (i = 0; i < n; i++)
        assert(max >= v[i]); /* @fail */
    return 0;
}
