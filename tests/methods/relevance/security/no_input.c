/* Nothing comes in at all.
   security: not-input-controlled
*/
#include <assert.h>

static int half(int x) { return x >> 2; }

int main(void) {
    int x = half(8);
    assert(x == 4);
    return 0;
}
