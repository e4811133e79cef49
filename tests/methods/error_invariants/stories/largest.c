/* what: the largest element is missed because the loop ends one too early
 * failure: assertion
 */
#include <assert.h>

int main(void) {
    int a[4] = {3, 1, 2, 9};
    int best = a[0];
    for (int i = 1; i < 3; i++)
        if (a[i] > best)
            best = a[i];
    assert(best == 9);
    return 0;
}
