/*
 * what: recursion with results through return values and through memory (towers, permutations)
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static int moves[3][3];
static int perms;

static int hanoi(int n, int from, int to)
{
    int via = 3 - from - to;
    if (n == 0)
        return 1; /* @cause */
    int before = hanoi(n - 1, from, via); /* @cause */
    moves[from][to]++;                    /* @clean */
    return before + 1 + hanoi(n - 1, via, to); /* @cause */
}

static void permute(char *s, int k, int n)
{
    int i;
    char t;
    if (k == n) {
        perms++; /* @clean */
        return;
    }
    for (i = k; i < n; i++) {
        t = s[k], s[k] = s[i], s[i] = t;
        permute(s, k + 1, n);
        t = s[k], s[k] = s[i], s[i] = t;
    }
}

int main(void)
{
    char word[] = "abcd";
    int steps;

    permute(word, 0, 4);
    steps = hanoi(4, 0, 2); /* @cause */
    printf("%d %d %d\n", steps, perms, moves[0][2]);
    assert(steps == 15); /* @fail */
    return 0;
}
