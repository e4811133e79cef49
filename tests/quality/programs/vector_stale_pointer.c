/* A growing array: a pointer to an element is kept across a realloc that moves the array.
 *
 * args: 9
 * at: main
 * says: after it was freed
 * says: freed here: .*realloc
 * says: `first` got the pointer here
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    long *items;
    size_t used, room;
} vector;

static void push(vector *v, long item)
{
    if (v->used == v->room) {
        v->room = v->room ? v->room * 64 : 2;
        v->items = realloc(v->items, v->room * sizeof v->items[0]);
        if (!v->items)
            abort();
    }
    v->items[v->used++] = item;
}

int main(int argc, char **argv)
{
    vector v = {0};
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    push(&v, n);
    long *first = &v.items[0];
    for (long k = 1; k <= n; k++)
        push(&v, k * k);
    *first += 1;
    printf("%ld\n", v.items[0]);
    free(v.items);
    return 0;
}
