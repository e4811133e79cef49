/*
 * what: out-of-bounds write below an array inside a struct on the heap: an empty stack is popped
 * args: + + - - - +
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>

struct stack {
    long *cell;
    int top;
};

static int pops;

static void push(struct stack *s, long v)
{
    s->cell[s->top++] = v; /* @fail */
}

static void pop(struct stack *s)
{
    pops++; /* @clean */
    s->top--; /* @cause */
}

int main(int argc, char **argv)
{
    struct stack s = {0, 0}; /* @cause */
    int i;

    s.cell = malloc(8 * sizeof *s.cell); /* @cause */
    for (i = 1; i < argc; i++) {
        if (argv[i][0] == '+') /* @cause */
            push(&s, i);
        else
            pop(&s); /* @cause */
    }
    printf("%d %d\n", s.top, pops);
    return 0;
}
