/* A sum over so many rounds of a loop, each of which takes one of two arms. */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            sum = sum + 2;
        else
            sum = sum + 1;
    }
    assert(sum != n + (n + 2) / 3);
    return 0;
}
