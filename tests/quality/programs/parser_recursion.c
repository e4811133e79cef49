/* A recursive descent parser that recurses without consuming input when it meets an unknown character.
 *
 * args: 1+(2*x)
 * at: factor
 * says: calls itself without an end
 * says: does not change
 * says: factor
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct parser {
    const char *text;
    int at;
    int errors;
};

static int expression(struct parser *p);

static char peek(const struct parser *p)
{
    return p->text[p->at];
}

static int number(struct parser *p)
{
    int value = 0;
    while (isdigit((unsigned char)peek(p))) {
        value = value * 10 + (peek(p) - '0');
        p->at++;
    }
    return value;
}

static int factor(struct parser *p, int depth)
{
    if (peek(p) == '(') {
        p->at++;
        int value = expression(p);
        if (peek(p) == ')')
            p->at++;
        return value;
    }
    if (isdigit((unsigned char)peek(p)))
        return number(p);
    if (peek(p) == '\0')
        return 0;
    p->errors++;
    return factor(p, depth + 1);
}

static int term(struct parser *p)
{
    int value = factor(p, 0);
    while (peek(p) == '*') {
        p->at++;
        value *= factor(p, 0);
    }
    return value;
}

static int expression(struct parser *p)
{
    int value = term(p);
    while (peek(p) == '+' || peek(p) == '-') {
        char sign = peek(p);
        p->at++;
        int right = term(p);
        value = sign == '+' ? value + right : value - right;
    }
    return value;
}

int main(int argc, char **argv)
{
    struct parser p = {argc > 1 ? argv[1] : "1+2", 0, 0};
    printf("%d\n", expression(&p));
    return p.errors != 0;
}
