/*
 * what: memcpy, memmove with overlap, memset, memcmp, memchr
 * failure: assertion
 * message: memcmp(line, "0011", 4)
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

static unsigned char line[16];

static void insert(int at, unsigned char c, int len)
{
    memmove(line + at + 1, line + at, len - at); /* @cause */
    line[at] = c;                                /* @cause */
}

int main(void)
{
    unsigned char other[8], *found;
    int bytes;

    memset(line, '0', 4);
    memset(other, 0xee, sizeof other);
    memcpy(line + 1, "12", 2);        /* @cause */
    memmove(other + 1, other, 4);     /* @clean */
    insert(1, '0', 4);                /* @cause */
    found = memchr(other, 0xee, 8);
    bytes = (int)(found - other);     /* @clean */
    printf("%.5s %d\n", (char *)line, bytes);
    assert(memcmp(line, "0011", 4) == 0); /* @fail */
    return 0;
}
