/* what: a search never looks at the last element
 * failure: assertion
 */
#include <assert.h>

static int find(const int *a, int n, int key) {
    int low = 0, high = n - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid] == key)
            return mid;
        if (a[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return -1;
}

int main(void) {
    int a[] = {1, 4, 6, 8};
    int at = find(a, 4, 8);
    assert(at == 3);
    return 0;
}
