/*
 * what: a wrong literal text because of a wrong branch
 * args: 59
 * failure: output
 * expect-stdout: "checking\nresult: passed\n"
 */
#include <stdio.h>
#include <stdlib.h>

static int rounded(int points)
{
    return points / 10 * 10; /* @cause */
}

static void verdict(int points)
{
    if (rounded(points) >= 60) /* @cause */
        printf("result: passed\n");
    else
        printf("result: failed\n"); /* @fail */
}

int main(int argc, char **argv)
{
    int points = atoi(argv[1]) + 5; /* @cause */
    int attempts = 1;
    attempts += 2; /* @clean */
    puts("checking");
    verdict(points - 7); /* @cause */
    return attempts > 9;
}
