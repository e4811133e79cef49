/* Values that are mixed with each other: hard to invert. */
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    unsigned a[64] = {0};
    unsigned s = 1, t = 7;
    for (int i = 0; i < n; i++) {
        s = s * 3u + (unsigned)i;
        a[i & 63] = s ^ t;
        if (s & 4u)
            t += a[(i * 7) & 63];
    }
    assert(s + t == 12u);
    return 0;
}
