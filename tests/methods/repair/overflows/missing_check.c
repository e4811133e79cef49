/* Values are stored under an index of the input that nobody checks.
   args: 3 14 2
   fault: 11 */
#include <stdio.h>
#include <stdlib.h>

static int slots[8];

static void store(int index, int value)
{
    slots[index] = value;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        store(atoi(argv[i]), i);
    printf("%d\n", slots[3]);
    return 0;
}
