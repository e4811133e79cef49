/*
 * what: out-of-bounds write on the stack by index, no crash: histogram of a value out of range
 * args: 3 5 8 5
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>

static int scale(int v)
{
    return v * 5 / 4; /* @cause */
}

static int tally(int argc, char **argv)
{
    char before[32] = "guard";
    int bins[10] = {0};
    char after[32] = "guard";
    int i, seen = 0;

    for (i = 1; i < argc; i++) {      /* @cause */
        int b = scale(atoi(argv[i])); /* @cause */
        seen += 1;                    /* @clean */
        bins[b]++;                    /* @fail */
    }
    return bins[6] + before[0] + after[0] + seen;
}

int main(int argc, char **argv)
{
    printf("%d\n", tally(argc, argv) > 0);
    return 0;
}
