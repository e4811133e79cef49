/* A function returns the address of its own array.
 *
 * args: 7
 * at: main
 * says: after its function returned
 * says: `?buffer`?
 * says: label
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *label(int number)
{
    char buffer[16];
    char *at = buffer;
    snprintf(buffer, sizeof buffer, "item-%d", number);
    return at;
}

int main(int argc, char **argv)
{
    char *text = label(argc > 1 ? atoi(argv[1]) : 1);
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += text[i];
    printf("%d\n", sum);
    return 0;
}
