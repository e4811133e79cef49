/*
 * what: out-of-bounds read on a global table by an unchecked month
 * args: 2024 13
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
static const int guard[4] = {-1, -1, -1, -1};

static int length(int year, int month)
{
    int n = days[month - 1]; /* @fail */
    if (month == 2 && year % 4 == 0)
        n++;
    return n;
}

int main(int argc, char **argv)
{
    int year = atoi(argv[1]);  /* @clean */
    int month = atoi(argv[2]); /* @cause */
    int n = length(year, month); /* @cause */
    printf("%d\n", n != guard[0] + 1000);
    return 0;
}
