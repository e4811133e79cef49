/* A toy bank. Amounts are whole cents. Commands on stdin:
 *   open NAME LIMIT      deposit NAME AMOUNT     withdraw NAME AMOUNT
 *   move FROM TO AMOUNT  interest RATE           show NAME
 * RATE is in hundredths of a percent. An account may go down to -LIMIT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

enum { MAX_ACCOUNTS = 10, NAME_SIZE = 12 };

enum result { OK, NO_ACCOUNT, BAD_AMOUNT, NO_FUNDS, BANK_FULL, EXISTS };

static const char *const messages[] = {
    [OK] = "ok",
    [NO_ACCOUNT] = "no such account",
    [BAD_AMOUNT] = "bad amount",
    [NO_FUNDS] = "insufficient funds",
    [BANK_FULL] = "bank is full",
    [EXISTS] = "account exists",
};

struct account {
    char name[NAME_SIZE];
    long balance;
    long limit;
    int operations;
};

struct bank {
    struct account accounts[MAX_ACCOUNTS];
    int count;
    long vault; /* all money that was paid in, less what was paid out */
};

static struct account *find(struct bank *b, const char *name)
{
    for (int i = 0; i < b->count; i++)
        if (strcmp(b->accounts[i].name, name) == 0)
            return &b->accounts[i];
    return NULL;
}

static enum result open_account(struct bank *b, const char *name, long limit)
{
    struct account *a;

    if (find(b, name) != NULL)
        return EXISTS;
    if (b->count == MAX_ACCOUNTS)
        return BANK_FULL;
    if (limit < 0)
        return BAD_AMOUNT;
    a = &b->accounts[b->count++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->balance = 0;
    a->limit = limit;
    a->operations = 0;
    return OK;
}

static enum result credit(struct account *a, long amount)
{
    if (a == NULL)
        return NO_ACCOUNT;
    if (amount <= 0)
        return BAD_AMOUNT;
    a->balance += amount;
    a->operations++;
    return OK;
}

static enum result debit(struct account *a, long amount)
{
    if (a == NULL)
        return NO_ACCOUNT;
    if (amount <= 0)
        return BAD_AMOUNT;
    if (a->balance - amount < -a->limit)
        return NO_FUNDS;
    a->balance -= amount;
    a->operations++;
    return OK;
}

static enum result move(struct account *from, struct account *to, long amount)
{
    enum result r;

    if (from == NULL || to == NULL)
        return NO_ACCOUNT;
    r = debit(from, amount);
    if (r != OK)
        return r;
    return credit(to, amount);
}

static long interest_on(long balance, long rate)
{
    long exact = balance * rate;
    if (exact >= 0)
        return (exact + 5000) / 10000;
    return (exact - 5000) / 10000;
}

static void add_interest(struct bank *b, long rate)
{
    for (int i = 0; i < b->count; i++) {
        struct account *a = &b->accounts[i];
        long gain = interest_on(a->balance, rate);
        a->balance += gain;
        b->vault += gain;
    }
}

static long total(const struct bank *b)
{
    long sum = 0;
    for (int i = 0; i < b->count; i++)
        sum += b->accounts[i].balance;
    return sum;
}

static void show(const struct account *a)
{
    if (a == NULL) {
        puts(messages[NO_ACCOUNT]);
        return;
    }
    long cents = labs(a->balance);
    printf("%s: %s%ld.%02ld after %d operations\n", a->name, a->balance < 0 ? "-" : "", cents / 100, cents % 100, a->operations);
}

int main(void)
{
    static struct bank bank;
    char line[128], name[NAME_SIZE], other[NAME_SIZE];
    long amount;
    int refused = 0;

    while (fgets(line, sizeof line, stdin)) {
        enum result r = OK;
        if (sscanf(line, "open %11s %ld", name, &amount) == 2) {
            r = open_account(&bank, name, amount);
        } else if (sscanf(line, "deposit %11s %ld", name, &amount) == 2) {
            r = credit(find(&bank, name), amount);
            if (r == OK)
                bank.vault += amount;
        } else if (sscanf(line, "withdraw %11s %ld", name, &amount) == 2) {
            r = debit(find(&bank, name), amount);
            if (r == OK)
                bank.vault -= amount;
        } else if (sscanf(line, "move %11s %11s %ld", name, other, &amount) == 3) {
            r = move(find(&bank, name), find(&bank, other), amount);
        } else if (sscanf(line, "interest %ld", &amount) == 1) {
            add_interest(&bank, amount);
        } else if (sscanf(line, "show %11s", name) == 1) {
            show(find(&bank, name));
        } else {
            printf("what? %s", line);
            continue;
        }
        if (r != OK) {
            printf("refused: %s\n", messages[r]);
            refused++;
        }
        assert(total(&bank) == bank.vault);
    }
    for (int i = 0; i < bank.count; i++)
        show(&bank.accounts[i]);
    printf("vault %ld, refused %d\n", bank.vault, refused);
    return refused > 0 ? 3 : 0;
}
