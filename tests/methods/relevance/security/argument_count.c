/* Any argument fails, none does not.
   args: a b
   security: input-controlled argc
*/
#include <assert.h>

int main(int argc, char **argv) {
    int x = 0;
    (void)argv;
    if (argc > 1)
        x = 5;
    assert(x != 5);
    return 0;
}
