/* Two arguments of a call are swapped, so that a ratio is turned upside down.
 *
 * args: 30 120
 * expect: 25%\n
 * at: report
 * says: printed "400" where "25" was expected
 * says: percent
 * says: part = 120|whole = 30
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct score {
    long won;
    long played;
} Score;

static long percent(long part, long whole)
{
    if (whole == 0)
        return 0;
    return 100 * part / whole;
}

static long rate(const Score *s)
{
    return percent(s->played, s->won);
}

static void report(const Score *s)
{
    long r = rate(s);
    printf("%ld%%\n", r);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    Score s;
    s.won = strtol(argv[1], NULL, 10);
    s.played = strtol(argv[2], NULL, 10);
    report(&s);
    return 0;
}
