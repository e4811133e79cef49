/* A loop that copies a name goes on for as long as there is text: it lacks the check of the buffer's size.
   args: abcdefghijklmnop
   fault: 13 */
#include <stdio.h>

#define NAME_MAX_LENGTH 8

static char name[NAME_MAX_LENGTH];

static void set_name(const char *from)
{
    int i = 0;
    while (from[i] != '\0') {
        name[i] = from[i];
        i++;
    }
    if (i < NAME_MAX_LENGTH)
        name[i] = '\0';
}

int main(int argc, char **argv)
{
    set_name(argc > 1 ? argv[1] : "none");
    printf("%.8s\n", name);
    return 0;
}
