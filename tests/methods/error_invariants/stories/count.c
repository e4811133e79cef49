/* what: the sum of a loop with a wrong start
 * args: "12"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3;
    int sum = 1;
    for (int i = 1; i <= n; i++)
        sum += i;
    assert(sum == n * (n + 1) / 2);
    return 0;
}
