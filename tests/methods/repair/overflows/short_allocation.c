/* A copy of a text is one byte too short for its end.
   args: packet
   fault: 10 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copied(const char *text)
{
    char *copy = malloc(strlen(text));
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}

int main(int argc, char **argv)
{
    char *copy = copied(argc > 1 ? argv[1] : "");
    printf("%c\n", copy[0]);
    free(copy);
    return 0;
}
