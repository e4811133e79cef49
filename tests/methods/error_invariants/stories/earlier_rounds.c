/* what: a table that no round of a loop changed, though each could have
 * args: "0"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int x = 3;
    int t[4] = {0, 5, 4, 0};
    for (int i = 0; i < 3; i = i + 1) {
        if (t[i] + x <= 2)
            t[n] = x;
    }
    assert(t[0] != 0);
    return 0;
}
