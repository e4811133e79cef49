/*
 * what: a trap instruction reached by a value that was thought impossible
 * args: 3
 * failure: signal
 * signal: SIGILL
 */
#include <stdio.h>
#include <stdlib.h>

static int turns;

static int opposite(int side)
{
    switch (side) { /* @cause */
    case 0: return 2;
    case 1: return 3;
    case 2: return 0;
    case 3: return 1;
    }
    __builtin_trap(); /* @fail */
}

int main(int argc, char **argv)
{
    int side = atoi(argv[1]); /* @cause */
    side = opposite(side) * 2 + 2; /* @cause */
    turns += 4;               /* @clean */
    side = opposite(side);    /* @cause */
    printf("%d %d\n", side, turns);
    return 0;
}
