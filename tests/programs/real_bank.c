/*
 * what: bank simulation with accounts, transfers, a journal and rollback; the fee is not rolled back
 * failure: assertion
 * message: sum == start
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS 6
#define BANK 0

enum kind { DEPOSIT, WITHDRAW };

struct account {
    int id;
    long balance;
    long limit;
    char owner[12];
};

struct entry {
    enum kind kind;
    int account;
    long amount;
    int batch;
};

struct journal {
    struct entry *entries;
    size_t used, room;
};

static struct account accounts[ACCOUNTS];
static struct journal journal;
static int batch;
static int rejected;

static void journal_add(enum kind kind, int account, long amount)
{
    struct entry *e;
    if (journal.used == journal.room) {
        journal.room = journal.room ? journal.room * 2 : 4;
        journal.entries = realloc(journal.entries, journal.room * sizeof *journal.entries);
    }
    e = &journal.entries[journal.used++];
    e->kind = kind;
    e->account = account;
    e->amount = amount; /* @cause */
    e->batch = batch;
}

static int post(enum kind kind, int account, long amount)
{
    struct account *a = &accounts[account];
    if (kind == WITHDRAW) {
        if (a->balance - amount < -a->limit)
            return -1;
        a->balance -= amount; /* @cause */
    } else {
        a->balance += amount; /* @cause */
    }
    journal_add(kind, account, amount);
    return 0;
}

static void rollback(void)
{
    while (journal.used > 0) {
        struct entry *e = &journal.entries[journal.used - 1];
        if (e->batch != batch)
            break;
        if (e->kind == WITHDRAW)
            accounts[e->account].balance += e->amount; /* @cause */
        else if (e->account != BANK) /* @omission */
            accounts[e->account].balance -= e->amount;
        journal.used--;
    }
}

static long fee(long amount)
{
    long f = amount / 100;
    return f < 1 ? 1 : f > 25 ? 25 : f;
}

static int transfer(int from, int to, long amount)
{
    batch++;
    if (post(WITHDRAW, from, fee(amount)) || post(DEPOSIT, BANK, fee(amount)) || /* @cause */
        post(WITHDRAW, from, amount) || post(DEPOSIT, to, amount)) {
        rollback(); /* @cause */
        rejected++; /* @clean */
        return -1;
    }
    return 0;
}

static long total(void)
{
    long sum = 0;
    int i;
    for (i = 0; i < ACCOUNTS; i++)
        sum += accounts[i].balance; /* @cause */
    return sum;
}

static void open_account(int id, const char *owner, long balance, long limit)
{
    struct account a;
    memset(&a, 0, sizeof a);
    a.id = id;
    a.balance = balance;
    a.limit = limit;
    strncpy(a.owner, owner, sizeof a.owner - 1);
    accounts[id] = a;
}

static const struct order {
    int from, to;
    long amount;
} orders[] = { /* @cause */
    {1, 2, 500}, {2, 3, 1200}, {3, 4, 90}, {4, 5, 3000}, {5, 1, 10}, {1, 5, 250},
};

int main(void)
{
    long start, sum, volume = 0;
    size_t i;

    open_account(BANK, "bank", 0, 0);
    open_account(1, "ada", 1000, 0);
    open_account(2, "bob", 900, 100);
    open_account(3, "cleo", 50, 50);
    open_account(4, "dan", 400, 0);
    open_account(5, "eve", 20, 0);
    start = total(); /* @cause */
    for (i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        transfer(orders[i].from, orders[i].to, orders[i].amount); /* @cause */
        volume += orders[i].amount; /* @clean */
    }
    sum = total(); /* @cause */
    for (i = 0; i < ACCOUNTS; i++)
        printf("%d %-6s %ld\n", accounts[i].id, accounts[i].owner, accounts[i].balance);
    printf("volume %ld rejected %d\n", volume, rejected);
    free(journal.entries);
    assert(sum == start); /* @fail */
    return 0;
}
