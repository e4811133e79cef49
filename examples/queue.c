/* A queue of numbers as a linked list; the program takes numbers, drops the first ones and prints the rest.
 *
 *     butfor explain examples/queue.c -- 2 10 20
 *
 * pop() forgets to reset `last` when the queue becomes empty. The next push() writes through it into a node that was freed: nothing
 * crashes there, and the number is lost.
 */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *first, *last;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->value = value;
    node->next = NULL;
    if (last)
        last->next = node;
    else
        first = node;
    last = node;
}

static int pop(void)
{
    struct node *node = first;
    int value = node->value;
    first = node->next;
    free(node);
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s DROP NUMBER...\n", argv[0]);
        return 2;
    }
    int drop = atoi(argv[1]);
    for (int i = 2; i < argc; i++)
        push(atoi(argv[i]));
    while (drop-- > 0 && first)
        pop();
    push(99);
    for (; first; pop())
        printf("%d\n", first->value);
    return 0;
}
