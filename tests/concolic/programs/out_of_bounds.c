/*
 * what: an index from the input is checked on one side only
 * failure: memory
 */
#include <stdio.h>

static const int price[8] = {5, 7, 9, 11, 13, 17, 19, 23};

int main(void)
{
    int table[8];
    int index, i;

    for (i = 0; i < 8; i++)
        table[i] = price[i];
    if (scanf("%d", &index) != 1)
        return 1;
    if (index > 8)
        return 1;
    if (index >= 0)
        printf("%d\n", table[index]); /* @fail */
    return 0;
}
