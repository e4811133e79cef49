/*
 * what: a bound check that is wrong when the product overflows
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned count, size, total;

    if (argc != 3) {
        fprintf(stderr, "usage: %s COUNT SIZE\n", argv[0]);
        return 2;
    }
    count = (unsigned)strtoul(argv[1], NULL, 10);
    size = (unsigned)strtoul(argv[2], NULL, 10);
    if (size == 0 || count == 0)
        return 1;
    total = count * size;
    if (total > 4096)
        return 1;
    assert(count <= 4096 && size <= 4096); /* @fail */
    return 0;
}
