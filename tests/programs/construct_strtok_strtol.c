/*
 * what: strtok, strtol with end pointers and bases, atoi, strtod
 * args: "10, 0x10, 010, junk, 7"
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rejected;

static long number(const char *s)
{
    char *end;
    long v = strtol(s, &end, 0); /* @cause */
    if (*end) {
        rejected++; /* @clean */
        return 0;
    }
    return v;
}

int main(int argc, char **argv)
{
    char line[80], *tok;
    long sum = 0;
    double d;

    strncpy(line, argv[1], sizeof line - 1);
    line[sizeof line - 1] = 0;
    d = strtod("2.5e1 rest", NULL); /* @clean */
    for (tok = strtok(line, ", "); tok; tok = strtok(NULL, ", ")) /* @cause */
        sum += number(tok);                                       /* @cause */
    printf("%ld %d %g\n", sum, rejected, d);
    assert(sum == 10 + 16 + 10 + 7); /* @fail */
    return 0;
}
