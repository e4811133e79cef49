/* Neither assignment can be blamed alone.
*/
#include <assert.h>

int main(void) {
    int x = 5;
    int y = 7;
    assert(x != 5 && y != 7);
    return 0;
}
