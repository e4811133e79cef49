/*
 * what: a recursive descent parser of expressions that loses the depth of brackets
 * failure: assertion
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>

static int now;
static int depth;

static void next(void)
{
    now = getchar();
    while (now == ' ')
        now = getchar();
}

static int expression(void);

static int factor(void)
{
    int value = 0;
    if (now == '(') {
        depth++;
        next();
        value = expression();
        if (now == ')') {
            depth--;
            next();
        } else if (now == ']') {
            next(); /* the fault: the depth stays */
        }
        return value;
    }
    while (isdigit(now)) {
        value = value * 10 + (now - '0');
        next();
    }
    return value;
}

static int term(void)
{
    int value = factor();
    while (now == '*') {
        next();
        value *= factor();
    }
    return value;
}

static int expression(void)
{
    int value = term();
    while (now == '+' || now == '-') {
        int op = now;
        next();
        value = op == '+' ? value + term() : value - term();
    }
    return value;
}

int main(void)
{
    int value;
    next();
    value = expression();
    if (now != '\n' && now != EOF)
        return 1;
    assert(depth == 0 || value < 0); /* @fail */
    printf("%d\n", value);
    return 0;
}
