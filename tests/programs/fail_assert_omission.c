/*
 * what: omission: a flag that should have been set keeps its old value
 * args: 100
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    int balance;
    int blocked;
};

static void review(struct account *a, int limit)
{
    if (a->balance > limit) /* @omission */
        a->blocked = 1;
}

int main(int argc, char **argv)
{
    struct account a;
    int reviews = 0;

    a.balance = atoi(argv[1]);
    a.blocked = 0;    /* @cause */
    review(&a, 100);
    reviews += 3;     /* @clean */
    printf("%d reviews\n", reviews);
    assert(a.blocked == 1); /* @fail */
    return 0;
}
