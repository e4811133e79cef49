/* A number that is not reached by steps of two.
   args: 7
   steps: 20000
   failure: no-end
   security: input-controlled argv 1
*/
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned char goal = (unsigned char)(argc > 1 ? atoi(argv[1]) : 0), at = 0;
    while (at != goal)
        at += 2;
    return 0;
}
