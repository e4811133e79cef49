/* The check fails whatever the state is; what matters is why it is reached.
*/
#include <assert.h>

int main(void) {
    int x = 1;
    if (x < 10)
        assert(0);
    return 0;
}
