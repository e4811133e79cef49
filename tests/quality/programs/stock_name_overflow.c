/* A stock list: the name of an item is copied into a member that is too small for it, and goes on into the next one.
 *
 * stdin: add bolt 5\nadd countersunk screw 7\nadd countersunk-screw 7\nlist\n
 * at: add
 * says: writes 18 bytes to `name` of (a|the 2nd) `struct item`
 * says: which has 16 bytes: 2 too many
 * not: 0 too many
 * not: an array of 16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char name[16];
    int count;
    struct item *next;
};

static struct item *items;

static void add(const char *name, int count)
{
    struct item *i = malloc(sizeof *i);
    if (i == NULL)
        exit(1);
    strcpy(i->name, name);
    i->count = count;
    i->next = items;
    items = i;
}

int main(void)
{
    char line[100], name[32];
    int count;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "add %31s %d", name, &count) == 2)
            add(name, count);
        else
            for (struct item *i = items; i; i = i->next)
                printf("%s: %d\n", i->name, i->count);
    }
    return 0;
}
