/* what: an access past the end: its bound is a comparison without sign, and its value is known
 * args: "4"
 * failure: memory
 */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int t[4] = {1, 3, 2, 0};
    int s = 0;
    for (int i = 0; i <= n; i++)
        s += t[i];
    assert(s >= 0);
    return 0;
}
