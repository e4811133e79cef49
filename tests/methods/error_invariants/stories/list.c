/* what: the first element of a list is not linked
 * failure: assertion
 */
#include <assert.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node b = {2, NULL};
    struct node a = {1, NULL};
    struct node *head = &a;
    if (b.value < a.value)
        a.next = &b;
    assert(head->next != NULL);
    return 0;
}
