/* stock.c
 *
 * First-in first-out inventory: goods are bought in lots and sold from the
 * oldest lot first. Commands, one per line:
 *     buy ITEM QTY PRICE
 *     sell ITEM QTY PRICE
 *     lost ITEM QTY
 *     print
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

struct lot {
    int qty;
    int price;
    struct lot *next;
};

struct item {
    char name[16];
    struct lot *oldest;
    struct lot *newest;
    int on_hand;
    struct item *next;
};

static struct item *items;
static long profit, losses;

static struct item *find_item(const char *name, int create)
{
    struct item **link = &items;

    /* the list is kept in alphabetical order */
    while (*link != NULL && strcmp((*link)->name, name) < 0)
        link = &(*link)->next;
    if (*link != NULL && strcmp((*link)->name, name) == 0)
        return *link;
    if (!create)
        return NULL;
    struct item *it = calloc(1, sizeof *it);
    if (it == NULL)
        exit(EXIT_FAILURE);
    snprintf(it->name, sizeof it->name, "%s", name);
    it->next = *link;
    *link = it;
    return it;
}

static void buy(struct item *it, int qty, int price)
{
    struct lot *l;

    if (it->newest != NULL && it->newest->price == price) {
        it->newest->qty += qty;
        it->on_hand += qty;
        return;
    }
    l = malloc(sizeof *l);
    if (l == NULL)
        exit(EXIT_FAILURE);
    l->qty = qty;
    l->price = price;
    l->next = NULL;
    if (it->newest != NULL)
        it->newest->next = l;
    else
        it->oldest = l;
    it->newest = l;
    it->on_hand += qty;
}

/* Takes goods out and returns what they had cost. */
static long take_out(struct item *it, int qty)
{
    long cost = 0;

    assert(qty <= it->on_hand);
    it->on_hand -= qty;
    while (qty > 0) {
        struct lot *l = it->oldest;
        int part = qty < l->qty ? qty : l->qty;

        cost += (long)part * l->price;
        l->qty -= part;
        qty -= part;
        if (l->qty == 0) {
            it->oldest = l->next;
            if (it->oldest == NULL)
                it->newest = NULL;
            free(l);
        }
    }
    return cost;
}

static int sell(struct item *it, int qty, int price)
{
    if (it == NULL || it->on_hand < qty) {
        printf("not enough\n");
        return 0;
    }
    long cost = take_out(it, qty);
    profit += (long)qty * price - cost;
    return 1;
}

static int lose(struct item *it, int qty)
{
    if (it == NULL)
        return 0;
    if (qty > it->on_hand)
        qty = it->on_hand;
    losses += take_out(it, qty);
    return qty;
}

static long value(const struct item *it)
{
    long sum = 0;
    for (const struct lot *l = it->oldest; l != NULL; l = l->next)
        sum += (long)l->qty * l->price;
    return sum;
}

static void print_all(void)
{
    long sum = 0;

    for (const struct item *it = items; it != NULL; it = it->next) {
        int lots = 0;
        for (const struct lot *l = it->oldest; l != NULL; l = l->next)
            lots++;
        printf("%-8s %4d in %d lots, worth %ld\n", it->name, it->on_hand, lots, value(it));
        sum += value(it);
    }
    printf("stock %ld, profit %ld, losses %ld\n", sum, profit, losses);
}

static void drop_all(void)
{
    while (items != NULL) {
        struct item *it = items;
        items = it->next;
        while (it->oldest != NULL) {
            struct lot *l = it->oldest;
            it->oldest = l->next;
            free(l);
        }
        free(it);
    }
}

int main(void)
{
    char line[100], verb[8], name[16];
    int qty, price;

    while (fgets(line, sizeof line, stdin) != NULL) {
        int n = sscanf(line, "%7s %15s %d %d", verb, name, &qty, &price);
        if (n <= 0)
            continue;
        if (n >= 3 && qty <= 0) {
            printf("bad quantity\n");
            continue;
        }
        if (n == 4 && strcmp(verb, "buy") == 0)
            buy(find_item(name, 1), qty, price);
        else if (n == 4 && strcmp(verb, "sell") == 0)
            sell(find_item(name, 0), qty, price);
        else if (n == 3 && strcmp(verb, "lost") == 0)
            printf("lost %d\n", lose(find_item(name, 0), qty));
        else if (n == 1 && strcmp(verb, "print") == 0)
            print_all();
        else
            printf("?\n");
    }
    print_all();
    drop_all();
    return 0;
}
