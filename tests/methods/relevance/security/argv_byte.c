/* Only one byte of the argument matters.
   args: abcXdef
   security: input-controlled argv 1
*/
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 2 || strlen(argv[1]) != 7)
        return 1;
    assert(argv[1][3] != 'X');
    return 0;
}
