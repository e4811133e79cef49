/*
 * what: computed goto (GNU labels as values): a byte code interpreter
 * failure: output
 * expect-stdout: "result 46\n"
 */
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, SWAP, SUB, HALT };

static long added;

static int run(const unsigned char *code)
{
    static const void *const labels[] = {&&push, &&add, &&mul, &&dup, &&swap, &&sub, &&halt};
    int stack[16], sp = 0, t;

#define NEXT() goto *labels[*code++]
    NEXT();
push:
    stack[sp++] = *code++; /* @cause */
    NEXT();
add:
    sp--;
    stack[sp - 1] += stack[sp];
    added++; /* @clean */
    NEXT();
mul:
    sp--;
    stack[sp - 1] *= stack[sp]; /* @cause */
    NEXT();
dup:
    stack[sp] = stack[sp - 1];
    sp++;
    NEXT();
swap:
    t = stack[sp - 1];
    stack[sp - 1] = stack[sp - 2];
    stack[sp - 2] = t;
    NEXT();
sub:
    sp--;
    stack[sp - 1] = stack[sp] - stack[sp - 1]; /* @cause */
    NEXT();
halt:
    return stack[0];
}

static const unsigned char program[] = {
    PUSH, 5,
    PUSH, 2, ADD,
    DUP, MUL,
    PUSH, 3, SUB,
    HALT,
};

int main(void)
{
    int r = run(program);     /* @cause */
    printf("result %d\n", r); /* @fail */
    return added == 1 ? 0 : 1;
}
