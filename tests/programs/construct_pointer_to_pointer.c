/*
 * what: pointers to pointers: removal from a list through a link pointer, a table of pointers
 * failure: assertion
 * message: sum == 8
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value; /* @cause */
    n->next = head;
    return n;
}

static void remove_all(struct node **link, int value)
{
    while (*link) {
        struct node *n = *link;
        if (n->value == value)
            *link = n->next;
        link = &n->next; /* @cause */
    }
}

static void swap(const char **a, const char **b)
{
    const char *t = *a;
    *a = *b; /* @clean */
    *b = t;
}

int main(void)
{
    static const int input[] = {5, 4, 4, 3};
    const char *names[2] = {"left", "right"};
    struct node *head = NULL, *n;
    int sum = 0, i;

    for (i = 0; i < 4; i++)
        head = push(head, input[i]); /* @cause */
    swap(&names[0], &names[1]);
    remove_all(&head, 4);
    for (n = head; n; n = n->next)
        sum += n->value; /* @cause */
    printf("%s %d\n", names[0], sum);
    assert(sum == 8); /* @fail */
    return 0;
}
