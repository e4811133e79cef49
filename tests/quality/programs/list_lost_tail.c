/* A list that is built backwards: the tail of an empty list is used although it was never set.
 *
 * args: 4 5
 * at: append
 * says: `list->tail->next = cell;` writes through `list->tail`, which is NULL
 * says: became NULL|initial
 * says: nothing in append\(\) tests `list->tail`
 */
#include <stdio.h>
#include <stdlib.h>

struct cell {
    int value;
    struct cell *next;
};

struct list {
    struct cell *head, *tail;
};

static struct cell *new_cell(int value)
{
    struct cell *cell = malloc(sizeof *cell);
    if (!cell)
        exit(1);
    cell->value = value;
    cell->next = NULL;
    return cell;
}

static void append(struct list *list, int value)
{
    struct cell *cell = new_cell(value);
    if (!list->head)
        list->head = cell;
    else
        list->tail->next = cell;
}

int main(int argc, char **argv)
{
    struct list list;
    list.head = NULL;
    list.tail = NULL;
    for (int i = 1; i < argc; i++)
        append(&list, atoi(argv[i]));
    for (struct cell *c = list.head; c; c = c->next)
        printf("%d\n", c->value);
    return 0;
}
