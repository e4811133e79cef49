/* Two characters are written per character of the input, but room is checked for one.
   args: """"a"b
   fault: 14 */
#include <stdio.h>

#define ROOM 10

static int quote(const char *from)
{
    char out[ROOM];
    int used = 0;

    for (; *from != '\0'; from++) {
        if (used + 1 > ROOM)
            break;
        if (*from == '"')
            out[used++] = '\\';
        out[used++] = *from;
    }
    return used > 0 ? out[0] : 0;
}

int main(int argc, char **argv)
{
    printf("%d\n", quote(argc > 1 ? argv[1] : ""));
    return 0;
}
