/*
 * what: three equations have to hold at once
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int x, y, z;

    if (scanf("%d %d %d", &x, &y, &z) != 3)
        return 1;
    if (x < 0 || y < 0 || z < 0)
        return 1;
    if (x + y + z == 1000 && 2 * x - y == 37)
        assert(3 * z != y + 2048); /* @fail */
    return 0;
}
