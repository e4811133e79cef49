/* A list that throws away what is sold out: after the free, the loop takes the freed item over as the previous one.
 *
 * stdin: add nut 5\nadd bolt 0\nadd pin 0\nadd cap 2\npurge\n
 * at: purge
 * says: freed here: `free\(it\);`
 * says: `prev` got the pointer here, when the block had been freed already: `prev = it;`
 * says: line 47 `it` had it from here: `it = next;`
 * says: name = "pin"
 * not: nothing has assigned
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char name[16];
    int left;
    struct item *next;
};

static struct item *stock;

static void add(const char *name, int left)
{
    struct item *it = malloc(sizeof *it);
    snprintf(it->name, sizeof it->name, "%s", name);
    it->left = left;
    it->next = stock;
    stock = it;
}

static int purge(void)
{
    struct item *prev = NULL, *it = stock, *next;
    int removed = 0;
    while (it != NULL) {
        next = it->next;
        if (it->left == 0) {
            if (prev != NULL)
                prev->next = next;
            else
                stock = next;
            free(it);
            removed++;
        }
        prev = it;
        it = next;
    }
    return removed;
}

int main(void)
{
    char command[8], name[16];
    int left;

    while (scanf("%7s", command) == 1) {
        if (strcmp(command, "add") == 0 && scanf("%15s %d", name, &left) == 2)
            add(name, left);
        else
            printf("%d removed\n", purge());
    }
    return 0;
}
