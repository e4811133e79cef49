/* A sorted array whose least element is not what is expected. */
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int a[64];
    for (int i = 0; i < n; i++) a[i] = (i * 37 + 11) % 101;
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
            if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    assert(a[0] == 3);
    return sum;
}
