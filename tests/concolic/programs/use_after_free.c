/*
 * what: a list whose first element is removed and still read
 * failure: memory
 */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *head = NULL, *last = NULL;
    int c;

    while ((c = getchar()) != EOF) {
        if (c == 'a') {
            struct node *n = malloc(sizeof *n);
            n->value = c;
            n->next = head;
            head = n;
            last = n;
        } else if (c == 'd' && head) {
            struct node *n = head;
            head = head->next;
            free(n);
        } else if (c == 'p' && last) {
            printf("%d\n", last->value); /* @fail */
        }
    }
    return 0;
}
