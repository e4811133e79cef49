/*
 * what: a calculator with variables, functions and precedence climbing; unary minus binds wrongly
 * args: "a = 3; b = a * (2 + 5) ^ 2; c = -a ^ 2 + b % 10; max(b, c) / (c - 16)"
 * failure: division
 * signal: SIGFPE
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calc {
    const char *p;
    long vars[26];
    int depth, max_depth;
    jmp_buf fail;
    char message[64];
};

static long evaluate(struct calc *c, int min_level);

static void fail(struct calc *c, const char *text)
{
    snprintf(c->message, sizeof c->message, "%s near '%.8s'", text, c->p);
    longjmp(c->fail, 1);
}

static void skip(struct calc *c)
{
    while (isspace((unsigned char)*c->p))
        c->p++;
}

static int accept(struct calc *c, char ch)
{
    skip(c);
    if (*c->p != ch)
        return 0;
    c->p++;
    return 1;
}

static void expect(struct calc *c, char ch)
{
    if (!accept(c, ch))
        fail(c, "unexpected input");
}

static long fn_max(long a, long b) { return a > b ? a : b; }
static long fn_min(long a, long b) { return a < b ? a : b; }

static long power(long base, long exponent)
{
    long r = 1;
    while (exponent-- > 0)
        r *= base; /* @cause */
    return r;
}

static const struct {
    const char *name;
    long (*f)(long, long);
} functions[] = {{"max", fn_max}, {"min", fn_min}, {"pow", power}};

static long call(struct calc *c, const char *name)
{
    size_t i;
    long a, b;
    expect(c, '(');
    a = evaluate(c, 1);
    expect(c, ',');
    b = evaluate(c, 1);
    expect(c, ')');
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].f(a, b);
    fail(c, "unknown function");
    return 0;
}

static long primary(struct calc *c)
{
    long v = 0;
    skip(c);
    if (accept(c, '(')) {
        c->depth++;
        if (c->depth > c->max_depth)
            c->max_depth = c->depth; /* @clean */
        v = evaluate(c, 1);
        expect(c, ')');
        c->depth--;
        return v;
    }
    if (accept(c, '-'))
        return -evaluate(c, 9); /* @cause */
    if (isdigit((unsigned char)*c->p)) {
        while (isdigit((unsigned char)*c->p))
            v = v * 10 + (*c->p++ - '0'); /* @cause */
        return v;
    }
    if (isalpha((unsigned char)*c->p)) {
        char name[16];
        int n = 0;
        while (isalpha((unsigned char)*c->p) && n < 15)
            name[n++] = *c->p++;
        name[n] = 0;
        if (n > 1)
            return call(c, name);
        return c->vars[name[0] - 'a']; /* @cause */
    }
    fail(c, "number expected");
    return 0;
}

static int level_of(char op)
{
    switch (op) {
    case '+':
    case '-':
        return 1;
    case '*':
    case '/':
    case '%':
        return 2;
    case '^':
        return 3;
    }
    return 0;
}

static long apply(struct calc *c, char op, long a, long b)
{
    switch (op) {
    case '+':
        return a + b; /* @cause */
    case '-':
        return a - b; /* @cause */
    case '*':
        return a * b;
    case '/':
        return a / b; /* @fail */
    case '%':
        if (b == 0)
            fail(c, "modulo by zero");
        return a % b; /* @cause */
    case '^':
        return power(a, b); /* @cause */
    }
    return 0;
}

static long evaluate(struct calc *c, int min_level)
{
    long left = primary(c); /* @cause */
    for (;;) {
        char op;
        int level;
        skip(c);
        op = *c->p;
        level = level_of(op);
        if (level == 0 || level < min_level) /* @cause */
            return left; /* @cause */
        c->p++;
        left = apply(c, op, left, evaluate(c, op == '^' ? level : level + 1)); /* @cause */
    }
}

static long statement(struct calc *c)
{
    long v;
    skip(c);
    if (isalpha((unsigned char)c->p[0]) && !isalpha((unsigned char)c->p[1])) {
        const char *start = c->p;
        int var = *c->p++ - 'a';
        if (accept(c, '=')) {
            v = evaluate(c, 1); /* @cause */
            c->vars[var] = v;   /* @cause */
            return v;
        }
        c->p = start;
    }
    return evaluate(c, 1);
}

int main(int argc, char **argv)
{
    static struct calc c;
    long v = 0;
    int statements = 0;

    if (argc != 2)
        return 2;
    c.p = argv[1];
    if (setjmp(c.fail)) {
        printf("error: %s\n", c.message);
        return 1;
    }
    do {
        v = statement(&c);
        statements += 1; /* @clean */
        printf("%ld\n", v);
    } while (accept(&c, ';'));
    if (*c.p)
        fail(&c, "trailing input");
    printf("%d statements, depth %d\n", statements, c.max_depth);
    return 0;
}
