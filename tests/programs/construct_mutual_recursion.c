/*
 * what: mutual recursion: a grammar with expr, term and factor calling each other
 * args: 2*(3+4)-5
 * failure: output
 * expect-stdout: "9\n"
 */
#include <ctype.h>
#include <stdio.h>

static const char *p;
static int depth, deepest;

static int expr(void);

static int factor(void)
{
    int v = 0;
    if (*p == '(') {
        p++;
        depth++;
        if (depth > deepest)
            deepest = depth; /* @clean */
        v = expr();
        depth--;
        p++;
        return v;
    }
    while (isdigit((unsigned char)*p))
        v = v * 10 + (*p++ - '0'); /* @cause */
    return v;
}

static int term(void)
{
    int v = factor();
    while (*p == '*') {
        p++;
        v *= factor(); /* @cause */
    }
    return v;
}

static int expr(void)
{
    int v = term();
    while (*p == '+' || *p == '-') {
        p++;
        v += term(); /* @cause */
    }
    return v;
}

int main(int argc, char **argv)
{
    int value;
    p = argv[1];          /* @cause */
    value = expr();       /* @cause */
    printf("%d\n", value); /* @fail */
    return deepest == 1 ? 0 : 1;
}
