/* calc: evaluates one expression or assignment per input line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVARS 26

static const char *cur;   /* where we are in the line */
static const char *error; /* first error of the line */
static long vars[NVARS];

static long expression(void);

static void skip(void)
{
    while (*cur == ' ' || *cur == '\t')
        cur++;
}

static int take(char c)
{
    skip();
    if (*cur != c)
        return 0;
    cur++;
    return 1;
}

static long fail(const char *why)
{
    if (error == NULL)
        error = why;
    return 0;
}

static long number(void)
{
    long value = 0;

    while (isdigit((unsigned char)*cur)) {
        value = value * 10 + (*cur - '0');
        cur++;
    }
    return value;
}

static long primary(void)
{
    skip();
    if (isdigit((unsigned char)*cur))
        return number();
    if (islower((unsigned char)*cur)) {
        int slot = *cur - 'a';
        cur++;
        return vars[slot];
    }
    if (take('(')) {
        long inner = expression();
        if (!take(')'))
            return fail("missing )");
        return inner;
    }
    return fail("operand expected");
}

static long power(long base, long exponent)
{
    long result = 1;

    if (exponent < 0)
        return fail("negative exponent");
    while (exponent > 0) {
        result *= base;
        exponent--;
    }
    return result;
}

static long factor(void)
{
    long base;

    if (take('-'))
        return -factor();
    base = primary();
    if (take('^'))
        return power(base, factor());
    return base;
}

static long term(void)
{
    long left = factor();

    for (;;) {
        if (take('*')) {
            left *= factor();
        } else if (take('/')) {
            long divisor = factor();
            if (divisor == 0)
                return fail("division by zero");
            left /= divisor;
        } else if (take('%')) {
            long modulus = factor();
            if (modulus == 0)
                return fail("modulus of zero");
            left %= modulus;
        } else {
            return left;
        }
    }
}

static long expression(void)
{
    long left = term();

    for (;;) {
        if (take('+'))
            left += term();
        else if (take('-'))
            left -= term();
        else
            return left;
    }
}

/* A line is "x = expression" or just an expression. */
static int run_line(const char *line)
{
    int target = -1;
    long value;

    cur = line;
    error = NULL;
    skip();
    if (islower((unsigned char)*cur)) {
        const char *start = cur;
        cur++;
        if (take('='))
            target = *start - 'a';
        else
            cur = start;
    }
    value = expression();
    skip();
    if (error == NULL && *cur != '\0')
        fail("trailing characters");
    if (error != NULL) {
        printf("error at %d: %s\n", (int)(cur - line) + 1, error);
        return 0;
    }
    if (target >= 0) {
        vars[target] = value;
        printf("%c = %ld\n", 'a' + target, value);
    } else {
        printf("%ld\n", value);
    }
    return 1;
}

int main(void)
{
    char line[256];
    int good = 0, bad = 0;

    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (run_line(line))
            good++;
        else
            bad++;
    }
    printf("%d ok, %d failed\n", good, bad);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
