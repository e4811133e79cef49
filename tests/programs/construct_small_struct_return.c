/*
 * what: small structs passed and returned in registers
 * failure: assertion
 * message: sum.num == 5
 */
#include <assert.h>
#include <stdio.h>

struct frac {
    int num, den;
};

struct mixed {
    char tag;
    long value;
};

static struct frac frac(int n, int d)
{
    struct frac f;
    f.num = n;
    f.den = d;
    return f;
}

static struct frac add(struct frac a, struct frac b)
{
    return frac(a.num * b.den + b.num + a.den, a.den * b.den); /* @cause */
}

static struct mixed label(char tag, long value)
{
    struct mixed m = {tag, value};
    return m;
}

int main(void)
{
    struct frac half = frac(1, 2);  /* @cause */
    struct frac third = frac(1, 3); /* @cause */
    struct mixed m = label('q', 77); /* @clean */
    struct frac sum;

    sum = add(half, third); /* @cause */
    printf("%d/%d %c%ld\n", sum.num, sum.den, m.tag, m.value);
    assert(sum.num == 5); /* @fail */
    return 0;
}
