/*
 * what: the fault and the failure are connected only by a heap cell written through an alias
 * failure: assertion
 * message: stock->left[2] == 8
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct stock {
    int left[4];
};

struct order {
    int *where;
    int amount;
};

static struct stock *stock;
static struct order queue[8];
static int queued;

static void place(int item, int amount)
{
    queue[queued].where = stock->left + item; /* @cause */
    queue[queued].amount = amount;            /* @cause */
    queued++;
}

static void process(void)
{
    int i;
    for (i = 0; i < queued; i++)
        *queue[i].where -= queue[i].amount; /* @cause */
}

int main(void)
{
    int i, placed = 0;
    stock = malloc(sizeof *stock);
    for (i = 0; i < 4; i++)
        stock->left[i] = 10; /* @cause */
    place(0, 1);
    place(2, 2); /* @cause */
    place(2, 3); /* @cause */
    placed += 3; /* @clean */
    process();   /* @cause */
    stock->left[1] += 5; /* @clean */
    printf("%d\n", placed);
    assert(stock->left[2] == 8); /* @fail */
    return 0;
}
