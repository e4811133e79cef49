/* The input is read and printed; what fails has nothing to do with it.
   args: 5
   security: not-input-controlled
*/
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3;
    struct node last = {1, NULL}, first = {2, &last};
    struct node *at = &first;
    printf("%d\n", n);
    fflush(stdout);
    while (at->value > 0)
        at = at->next;
    return 0;
}
