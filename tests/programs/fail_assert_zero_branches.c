/*
 * what: assert(0) behind branches: the value of the message has no data, only control matters
 * args: 7 3
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum token { NUMBER, PLUS, MINUS, END };

static enum token classify(int c)
{
    if (c >= 5)       /* @cause */
        return END;   /* @cause */
    if (c >= 3)
        return MINUS;
    return c ? PLUS : NUMBER;
}

static int apply(enum token t, int v)
{
    switch (t) { /* @cause */
    case NUMBER:
        return v;
    case PLUS:
        return v + 1;
    case MINUS:
        return v - 1;
    default:
        assert(0 && "no such operator"); /* @fail */
    }
    return 0;
}

int main(int argc, char **argv)
{
    int a = atoi(argv[1]);
    int b = atoi(argv[2]); /* @cause */
    int r, bias = 0;

    bias = a + 1;                  /* @clean */
    r = apply(classify(b), bias);
    b = b * 2;                     /* @cause */
    r += apply(classify(b), 1);    /* @cause */
    printf("%d\n", r);
    return 0;
}
