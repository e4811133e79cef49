/* Transfers between accounts; a fee is taken twice, so that the invariant of the bank fails.
 *
 * args: 100 50 30
 * at: main
 * says: assert
 * says: `?total.*`? became|bank_total
 * says: fee
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 2

struct bank {
    long balance[ACCOUNTS];
    long fees;
};

static const long fee = 1;

static long bank_total(const struct bank *b)
{
    long total = b->fees;
    for (int i = 0; i < ACCOUNTS; i++)
        total += b->balance[i];
    return total;
}

static int withdraw(struct bank *b, int account, long amount)
{
    if (b->balance[account] < amount + fee)
        return 0;
    b->balance[account] -= amount + fee;
    return 1;
}

static void deposit(struct bank *b, int account, long amount)
{
    b->balance[account] += amount;
}

static int transfer(struct bank *b, int from, int to, long amount)
{
    if (!withdraw(b, from, amount))
        return 0;
    deposit(b, to, amount - fee);
    b->fees += fee;
    return 1;
}

int main(int argc, char **argv)
{
    struct bank bank = {{0, 0}, 0};
    if (argc < 4)
        return 2;
    deposit(&bank, 0, atol(argv[1]));
    deposit(&bank, 1, atol(argv[2]));
    long before = bank_total(&bank);
    if (!transfer(&bank, 0, 1, atol(argv[3])))
        puts("refused");
    long after = bank_total(&bank);
    assert(after == before);
    printf("%ld\n", after);
    return 0;
}
