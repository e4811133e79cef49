/* what: a difference of unsigned numbers wraps
 * args: "3" "5"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned have = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    unsigned want = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned left = have - want;
    int enough = 0;
    if (left > 0)
        enough = 1;
    assert(!enough || have > want);
    return 0;
}
