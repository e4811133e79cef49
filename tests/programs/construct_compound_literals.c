/*
 * what: compound literals, designated initialisers (arrays with ranges, nested members)
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

struct opt {
    const char *name;
    int level;
    struct {
        int lo, hi;
    } range;
};

static int table[10] = {[2] = 5, [4 ... 6] = 9, [8] = 1}; /* @cause */

static const struct opt options[] = {
    [1] = {.level = 4, .name = "fast", .range.hi = 10},
    [0] = {.name = "slow", .range = {.lo = 1, .hi = 3}},
};

static int span(struct opt o)
{
    return o.range.hi - o.range.lo;
}

static int sum(const int *v, int n)
{
    int s = 0;
    while (n--)
        s += *v++; /* @cause */
    return s;
}

int main(void)
{
    int total, width;
    int *scratch = (int[]){3, 2, 1}; /* @cause */

    width = span((struct opt){.range = {2, 8}}); /* @clean */
    scratch[1] += 40;                            /* @cause */
    total = sum(table, 10) + sum(scratch, 3);    /* @cause */
    printf("%s %d %d %d\n", options[1].name, options[0].range.hi, width, total);
    assert(total == 33 + 6); /* @fail */
    return 0;
}
