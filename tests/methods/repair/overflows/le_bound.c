/* The classic: `<=` where `<` is meant.
   args: 7
   fault: 12 */
#include <stdio.h>
#include <stdlib.h>

static int table[10];

static int total(int n)
{
    int i, s = 0;
    for (i = 0; i <= n; i++)
        s += table[i];
    return s;
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 10; i++)
        table[i] = step * i;
    printf("%d\n", total(10));
    return 0;
}
