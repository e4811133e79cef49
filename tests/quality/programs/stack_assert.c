/* A stack machine: an operator that takes one operand pops two.
 *
 * args: 3 n
 * at: pop
 * says: failed with .*top = 0
 * says: `?top`?
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int stack[10];
static int top;

static void push(int value)
{
    assert(top < 10);
    stack[top++] = value;
}

static int pop(void)
{
    assert(top > 0);
    return stack[--top];
}

static void run(const char *word)
{
    int a, b;
    switch (word[0]) {
    case '+':
        b = pop();
        a = pop();
        push(a + b);
        break;
    case 'n':
        b = pop();
        a = pop();
        push(a - 2 * b);
        break;
    default:
        push(atoi(word));
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    printf("%d\n", pop());
    return 0;
}
