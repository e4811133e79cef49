/* Without an argument there is nothing to look at.
   security: input-controlled argv 1
*/
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    (void)argc;
    printf("%zu\n", strlen(argv[1]));
    return 0;
}
