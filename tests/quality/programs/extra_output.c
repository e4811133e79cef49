/* A countdown that prints one number too many: the loop goes on for one round more.
 *
 * args: 3
 * expect: 3 2 1 
 * at: main
 * says: printed "0", where the output should have ended|printed "0" where
 * says: it went on because `left >= 0` was true with left = 0
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 5;
    for (; left >= 0; left--)
        printf("%d ", left);
    return 0;
}
