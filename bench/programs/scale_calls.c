/* Fractions that are added up, each reduced by a recursive function; the sign of one of them is lost. */
#include <assert.h>
#include <stdlib.h>

struct fraction { long up, down; };

static long common(long a, long b)
{
    return b ? common(b, a % b) : a;
}

static struct fraction reduced(long up, long down)
{
    struct fraction f = { up, down };
    long d = common(up < 0 ? -up : up, down);
    f.up /= d;
    f.down /= d;
    return f;
}

static struct fraction sum(struct fraction a, struct fraction b)
{
    return reduced(a.up * b.down + b.up * a.down, a.down * b.down);
}

static struct fraction term(int i)
{
    return reduced(i % 2 ? i : i % 5 ? -i : i, 12);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    struct fraction total = { 0, 1 };
    for (int i = 0; i < n; i++)
        total = sum(total, term(i));
    assert(total.up * 24 == total.down * (n % 2 ? -(n - 1) : n));
    return 0;
}
