/*
 * what: K&R function definitions, implicit int, register parameters, old style externs
 * cflags: -std=gnu89
 * args: 12 18
 * failure: assertion
 */
#include <stdio.h>
#include <assert.h>

static calls;

gcd(a, b)
register a, b;
{
    calls = calls + 1; /* @clean */
    if (b == 0)
        return a; /* @cause */
    return gcd(b, a % b); /* @cause */
}

char *skip(s, c)
char *s;
int c;
{
    while (*s && *s == c)
        s++;
    return s;
}

lcm(a, b)
{
    int g = gcd(a, b); /* @cause */
    return a / g * b / g; /* @cause */
}

int main(argc, argv)
int argc;
char **argv;
{
    extern int atoi();
    int x, y, l;
    char *rest;

    if (argc != 3)
        return 2;
    x = atoi(argv[1]); /* @cause */
    y = atoi(argv[2]); /* @cause */
    rest = skip("  text", ' '); /* @clean */
    l = lcm(x, y); /* @cause */
    printf("%s %d %d\n", rest, l, calls);
    assert(l == 36); /* @fail */
    return 0;
}
