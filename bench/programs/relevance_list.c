/* Items in a list, some of them summed up. */
#include <assert.h>
#include <stdlib.h>
struct item { int weight, price; struct item *next; };
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    struct item *head = 0;
    for (int i = 0; i < n; i++) {
        struct item *p = malloc(sizeof *p);
        p->weight = i % 7; p->price = 3 * i; p->next = head; head = p;
    }
    int total = 0, count = 0;
    for (struct item *p = head; p; p = p->next) {
        if (p->weight > 3) total += p->price;
        count++;
    }
    assert(total < 100);
    return count;
}
