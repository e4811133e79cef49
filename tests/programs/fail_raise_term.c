/*
 * what: a fatal signal sent by raise with the default action
 * args: 8
 * failure: signal
 * signal: SIGTERM
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int budget = 20; /* @cause */

static void spend(int n)
{
    budget -= n * n; /* @cause */
}

static void watchdog(void)
{
    if (budget < 0)     /* @cause */
        raise(SIGTERM); /* @fail */
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]); /* @cause */
    int rounds = 0;
    spend(n);  /* @cause */
    rounds++;  /* @clean */
    watchdog();
    printf("%d %d\n", budget, rounds);
    return 0;
}
