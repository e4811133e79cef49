/* Prints primes up to a limit; the loop ends too early, so that the last one is missing.
 *
 * args: 13
 * expect: 2\n3\n5\n7\n11\n13\n
 * at: main
 * says: without printing what was still expected
 * says: `n < limit` was false with n = 13
 */
#include <stdio.h>
#include <stdlib.h>

static int is_prime(int n)
{
    if (n < 2)
        return 0;
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

static int print_primes(int limit)
{
    int found = 0;
    int n = 2;
    while (n < limit) {
        if (is_prime(n)) {
            printf("%d\n", n);
            found++;
        }
        n++;
    }
    return found;
}

int main(int argc, char **argv)
{
    int limit = argc > 1 ? atoi(argv[1]) : 10;
    int found = print_primes(limit);
    if (found == 0)
        puts("none");
    return 0;
}
