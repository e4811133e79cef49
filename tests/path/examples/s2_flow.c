/* What decides about the branch counts.
*/
#include <assert.h>

int main(void) {
    int x = 0;
    int y = 0;
    if (y == 0)
        x = 1;
    assert(x == 0);
    return 0;
}
