/*
 * what: nested ternaries, short circuit with side effects, comma operator
 * args: 17 0
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int checks;

static int positive(int v)
{
    checks++;
    return v >= 0; /* @cause */
}

static const char *grade(int points)
{
    return points > 15 ? "A" : points > 10 ? "B" : points > 5 ? "C" : "D";
}

int main(int argc, char **argv)
{
    int a = atoi(argv[1]), b = atoi(argv[2]); /* @cause */
    int i, j, both, either;
    const char *g;

    both = positive(a) && positive(b);       /* @cause */
    either = (checks += 10, a) || positive(b); /* @clean */
    for (i = 0, j = 10; i < j; i++, j--)
        checks = (checks + 1, checks + 2); /* @clean */
    g = grade(a);
    printf("%s %d %d %d\n", g, both, either, checks);
    assert(!(both && b == 0)); /* @fail */
    return 0;
}
