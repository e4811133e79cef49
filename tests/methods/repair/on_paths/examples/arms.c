/* Both arms fail, so what comes before them is wrong. */
#include <assert.h>

int main(int argc, char **argv) {
    (void)argv;
    int x = 0;
    if (argc > 1)
        x = x + 2;
    else
        x = x + 3;
    assert(x <= 1);
    return 0;
}
