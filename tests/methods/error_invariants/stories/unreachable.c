/* what: a value that no case was written for
 * args: "7"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

static int kind(int n) {
    if (n < 0)
        return -1;
    if (n > 0 && n < 5)
        return 1;
    if (n == 0)
        return 0;
    assert(0);
    return 2;
}

int main(int argc, char **argv) {
    return kind(argc > 1 ? atoi(argv[1]) : 0);
}
