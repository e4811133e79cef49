/* The terminating zero is written one past the end: the bound leaves no room for it.
   args: abcdefghij
   fault: 13 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 6

static char *shortened(const char *text)
{
    char *copy = malloc(SIZE);
    int i;
    for (i = 0; i < SIZE && text[i] != '\0'; i++)
        copy[i] = text[i];
    copy[i] = '\0';
    return copy;
}

int main(int argc, char **argv)
{
    char *copy = shortened(argc > 1 ? argv[1] : "");
    printf("%.5s\n", copy);
    free(copy);
    return 0;
}
