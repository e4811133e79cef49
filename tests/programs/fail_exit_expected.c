/*
 * what: the run ends with status 0 where 2 was expected: bad options are not noticed
 * args: -x 5
 * expect-exit: 2
 * failure: exit-status
 */
#include <stdio.h>
#include <stdlib.h>

static int bad;
static int options;

static void option(char c)
{
    options++; /* @clean */
    switch (c) { /* @omission */
    case 'v':
    case 'q':
        break;
    case '?':
        bad = 1;
    }
}

static int status(void)
{
    return bad ? 2 : 0; /* @cause */
}

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            option(argv[i][1]);
    exit(status()); /* @fail */
}
