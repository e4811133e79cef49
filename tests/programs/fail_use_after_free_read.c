/*
 * what: use after free (read): a cached pointer survives the removal of its node
 * failure: memory
 * memory: use-after-free
 */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int id, score;
    struct node *next;
};

static struct node *head, *best;
static int removed;

static void add(int id, int score)
{
    struct node *n = malloc(sizeof *n);
    n->id = id;
    n->score = score;
    n->next = head;
    head = n;
    if (!best || score > best->score)
        best = n; /* @cause */
}

static void drop(int id)
{
    struct node **p = &head, *n;
    while (*p && (*p)->id != id)
        p = &(*p)->next;
    n = *p;
    if (n) {
        *p = n->next;
        free(n);   /* @cause */
        removed++; /* @clean */
    }
}

static int champion(void)
{
    return best->id; /* @fail */
}

int main(void)
{
    add(1, 50);
    add(2, 90); /* @cause */
    add(3, 70);
    drop(2); /* @cause */
    printf("%d %d\n", champion() == 2, removed);
    return 0;
}
