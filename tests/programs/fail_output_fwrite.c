/*
 * what: wrong bytes written by fwrite from an array of structs
 * failure: output
 * expect-stdout: "AbBcCd"
 */
#include <stdio.h>

struct pair {
    char big, small;
};

static int filled;

static void fill(struct pair *p, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        p[i].big = (char)('A' + i);
        p[i].small = (char)(p[i].big + (i == 2 ? 32 : 33)); /* @cause */
        filled += 1; /* @clean */
    }
}

int main(void)
{
    struct pair p[3];
    fill(p, 3); /* @cause */
    fwrite(p, sizeof p[0], 3, stdout); /* @fail */
    return filled > 9;
}
