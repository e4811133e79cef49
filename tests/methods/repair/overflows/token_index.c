/* Fields of a line go to an array of too few elements: the check looks at the wrong counter.
   args: a,b,c,d,e,f,g
   fault: 14 */
#include <stdio.h>

#define FIELDS 4

int main(int argc, char **argv)
{
    const char *starts[FIELDS];
    const char *p = argc > 1 ? argv[1] : "";
    int count = 0, seen = 0;

    while (*p != '\0' && seen < FIELDS) {
        if (count == 0 || p[-1] == ',')
            starts[count++] = p;
        if (*p == '!')
            seen++;
        p++;
    }
    printf("%c\n", *starts[0]);
    return 0;
}
