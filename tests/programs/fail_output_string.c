/*
 * what: a wrong string printed by %s, built by pieces in a buffer
 * args: 2024 3 9
 * failure: output
 * expect-stdout: "date 2024-03-09\n"
 */
#include <stdio.h>
#include <stdlib.h>

static char out[32];
static int pos;
static int fields;

static void put(char c)
{
    out[pos++] = c; /* @cause */
}

static void number(int v, int width)
{
    int d = 1;
    while (--width > 0)
        d *= 10;
    for (; d > 0; d /= 10)
        put((char)('0' + v / d % 10)); /* @cause */
    fields++; /* @clean */
}

int main(int argc, char **argv)
{
    int day = atoi(argv[3]) + 10; /* @cause */
    number(atoi(argv[1]), 4);
    put('-');
    number(atoi(argv[2]), 2);
    put('-');
    number(day, 2); /* @cause */
    printf("date %s\n", out); /* @fail */
    return fields > 9;
}
