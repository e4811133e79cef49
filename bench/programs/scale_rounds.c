/* A loop of so many rounds, each of which takes one of two arms; the balance is not what it should be. */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    int in = 0, out = 0, balance = 0, last = 0;
    for (int i = 1; i <= n; i++) {
        if (i % 3 == 0) {
            in += 2;
            last = i;
        } else {
            out += 1;
        }
        balance = in - out;
    }
    assert(balance != (n - last) * -1);
    return 0;
}
