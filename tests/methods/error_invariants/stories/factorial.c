/* what: the recursion ends with 0 instead of 1
 * failure: assertion
 */
#include <assert.h>

static int factorial(int n) {
    if (n <= 1)
        return 0;
    return n * factorial(n - 1);
}

int main(void) {
    int f = factorial(3);
    assert(f == 6);
    return 0;
}
