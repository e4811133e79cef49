/*
 * what: an uninitialised local decides a branch: the switch has no arm for the input
 * args: y
 * failure: memory
 * memory: uninitialised
 */
#include <stdio.h>

static int asked;

static int answer(char c)
{
    int yes;
    switch (c) { /* @omission */
    case 'Y':
        yes = 1;
        break;
    case 'N':
    case 'n':
        yes = 0;
        break;
    }
    asked++; /* @clean */
    if (yes) /* @fail */
        return 10;
    return 20;
}

int main(int argc, char **argv)
{
    int r = answer(argv[1][0]); /* @cause */
    printf("%d %d\n", r > 0, asked);
    return 0;
}
