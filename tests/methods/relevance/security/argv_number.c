/* An index from an argument, checked against the wrong bound.
   args: quiet 12
   security: input-controlled argv 2
*/
#include <stdlib.h>

static int table[10];

int main(int argc, char **argv) {
    int index = argc > 2 ? atoi(argv[2]) : 0;
    if (index < 0 || index > 100)
        return 1;
    table[index] = 7;
    return table[index] - 7;
}
