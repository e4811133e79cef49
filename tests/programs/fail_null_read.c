/*
 * what: NULL pointer read: a lookup fails and the result is used unchecked far away
 * args: orange
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    const char *key;
    int price;
    struct node *next;
};

static struct node third = {"pear", 5, NULL};
static struct node second = {"fig", 3, &third};
static struct node first = {"apple", 2, &second};

static struct node *lookup(const char *key)
{
    struct node *n;
    for (n = &first; n; n = n->next) /* @cause */
        if (!strcmp(n->key, key))
            break;
    return n; /* @cause */
}

struct order {
    struct node *item;
    int count;
};

static int orders;

static int cost(const struct order *o)
{
    return o->count * o->item->price; /* @fail */
}

int main(int argc, char **argv)
{
    struct order o;
    int c;

    o.item = lookup(argv[1]); /* @cause */
    o.count = 12;
    orders++; /* @clean */
    c = cost(&o);
    printf("%d %d\n", c, orders);
    return 0;
}
