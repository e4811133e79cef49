/* A validator refuses a line that is right: a bound is off by one.
 *
 * stdin: 5\n10\n
 * exit: 0
 * at: main
 * says: ended the program with status 1
 * says: errors
 * says: `value < HIGHEST`|HIGHEST
 */
#include <stdio.h>
#include <stdlib.h>

#define HIGHEST 10

static int errors;

static int is_valid(int value)
{
    return value >= 0 && value < HIGHEST;
}

static void check(int value)
{
    if (!is_valid(value)) {
        errors++;
        fprintf(stderr, "bad value %d\n", value);
    }
}

int main(void)
{
    int value;
    while (scanf("%d", &value) == 1)
        check(value);
    if (errors > 0)
        return 1;
    puts("fine");
    return 0;
}
