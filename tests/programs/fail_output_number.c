/*
 * what: a wrong number in a printf with several conversions and a literal percent sign
 * args: 250 40
 * failure: output
 * expect-stdout: "item bolt     net   150.00 tax 20% gross 180.00 [ok]\n"
 */
#include <stdio.h>
#include <stdlib.h>

struct item {
    const char *name;
    double price;
    int discount;
};

static double net(const struct item *i)
{
    return i->price - i->price * i->discount / 100;
}

static double gross(const struct item *i, int tax)
{
    double n = net(i);                 /* @cause */
    return n + i->price * tax / 100.0; /* @cause */
}

int main(int argc, char **argv)
{
    struct item i = {"bolt", 0, 0};
    const char *mark;

    i.price = atof(argv[1]);    /* @cause */
    i.discount = atoi(argv[2]); /* @cause */
    mark = i.price > 1000 ? "check" : "ok"; /* @clean */
    printf("item %-8s net %8.2f tax %d%% gross %.2f [%s]\n", i.name, net(&i), 20, gross(&i, 20), mark); /* @fail */
    return 0;
}
