/* An invoice: the discount is computed in integers before it is scaled, so that it vanishes.
 *
 * args: 3 250
 * expect: total 7.50\ndiscount 0.75\nto pay 6.75\n
 * at: print_invoice
 * says: printed "0.00" where "0.75" was expected
 * says: `(inv->)?discount`|discount
 * says: rate / 100|PERCENT
 */
#include <stdio.h>
#include <stdlib.h>

struct invoice {
    int total; /* in cents */
    int discount;
};

struct rule {
    int from;
    int rate;
};

static const struct rule rules[] = {{0, 0}, {500, 10}, {2000, 15}};

static int rate_for(int total)
{
    int rate = 0;
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (total >= rules[i].from)
            rate = rules[i].rate;
    return rate;
}

static struct invoice make_invoice(int count, int price)
{
    struct invoice inv;
    inv.total = count * price;
    int rate = rate_for(inv.total);
    inv.discount = rate / 100 * inv.total;
    return inv;
}

static void print_invoice(const struct invoice *inv)
{
    printf("total %.2f\n", inv->total / 100.0);
    printf("discount %.2f\n", inv->discount / 100.0);
    printf("to pay %.2f\n", (inv->total - inv->discount) / 100.0);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    struct invoice inv = make_invoice(atoi(argv[1]), atoi(argv[2]));
    print_invoice(&inv);
    return 0;
}
