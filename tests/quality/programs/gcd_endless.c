/* Euclid's algorithm by subtraction, which does not end for 0.
 *
 * args: 12 0
 * steps: 20000
 * at: gcd
 * says: does not end
 * says: `b` is 0 in every round|b = 0
 */
#include <stdio.h>
#include <stdlib.h>

static int gcd(int a, int b)
{
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    printf("%d\n", gcd(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
