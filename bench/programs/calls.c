/* Call-heavy: the knapsack problem solved by plain recursion over many small functions. One weight in the table is wrong. */
#include <assert.h>
#include <stdlib.h>

#define ITEMS 9

struct item {
    int weight, value;
};

static const struct item items[ITEMS] = {{3, 4}, {4, 5}, {7, 10}, {8, 11}, {9, 13}, {2, 2}, {5, 7}, {1, 9 /* the fault: it is 1 */}, {6, 8}};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int fits(const struct item *item, int room)
{
    return item->weight <= room;
}

static int best(int at, int room);

static int with(int at, int room)
{
    const struct item *item = &items[at];
    return fits(item, room) ? item->value + best(at + 1, room - item->weight) : 0;
}

static int best(int at, int room)
{
    if (at == ITEMS || room == 0)
        return 0;
    return larger(best(at + 1, room), with(at, room));
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, total = 0;
    for (int i = 0; i < rounds; i++)
        total = larger(total, best(0, 12 + i % 9));
    assert(total <= 28);
    return 0;
}
