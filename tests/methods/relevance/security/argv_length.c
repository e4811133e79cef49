/* A buffer that an argument overflows: its length decides.
   args: aaaaaaaaaaaaaaaaaaaaaaaa
   security: input-controlled argv 1
*/
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char name[16];
    if (argc < 2)
        return 2;
    strcpy(name, argv[1]);
    printf("%zu\n", strlen(name));
    return 0;
}
