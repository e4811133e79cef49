/* Numbers in an array, sorted by exchanging neighbours; the last pair of each pass is forgotten. */
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = (i * 37 + 11) % 101;
    a[n - 1] = -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 2 < n - i; j++)
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    assert(a[0] == -1);
    free(a);
    return 0;
}
