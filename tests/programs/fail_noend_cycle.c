/*
 * what: no end: a list becomes a cycle when the same node is inserted twice
 * steps: 20000
 * failure: no-end
 */
#include <stdio.h>

struct node {
    int v;
    struct node *next;
};

static struct node pool[3] = {{1, 0}, {2, 0}, {3, 0}};
static struct node *head;
static int inserts;

static void insert(struct node *n)
{
    n->next = head; /* @cause */
    head = n;       /* @cause */
    inserts++;      /* @clean */
}

int main(void)
{
    static const int order[] = {0, 1, 2, 1}; /* @cause */
    struct node *n;
    unsigned sum = 0;
    int i;

    for (i = 0; i < 4; i++)
        insert(&pool[order[i]]); /* @cause */
    for (n = head; n; n = n->next) /* @cause */
        sum += n->v; /* @clean */
    printf("%u\n", sum);
    return 0;
}
