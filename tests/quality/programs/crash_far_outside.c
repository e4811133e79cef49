/* Counts of letters in a table that is too small: the index of a wide character is so far outside that the run crashes.
 *
 * args: 300000
 * at: count
 * says: element 300000 of `counts`, which has elements 0 to 99
 * says: `counts` is declared here.*with 100 elements
 */
#include <stdio.h>
#include <stdlib.h>

static void count(long *table, long which)
{
    table[which * 16]++;
}

int main(int argc, char **argv)
{
    long counts[100] = {0};
    count(counts, argc > 1 ? atol(argv[1]) / 16 : 1);
    printf("%ld\n", counts[0]);
    return 0;
}
