/*
 * what: the mean of the positive numbers of a list, of which there may be none
 * failure: division
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int i, sum = 0, count = 0;

    if (argc < 3)
        return 1;
    for (i = 1; i < argc; i++) {
        int x = atoi(argv[i]);
        if (x > 0) {
            sum += x;
            count++;
        }
    }
    printf("%d\n", sum / count); /* @fail */
    return 0;
}
