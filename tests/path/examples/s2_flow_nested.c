/* The inner branch only changes what nobody reads.
*/
#include <assert.h>

int main(void) {
    int x = 0;
    int y = 0;
    int z = 0;
    if (y == 0) {
        x = 1;
        if (z == 0)
            z = 1;
    } else {
        y = 2;
    }
    assert(x == 0);
    return z;
}
