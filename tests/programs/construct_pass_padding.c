/*
 * what: uninitialised padding and members are copied but never read; does not fail
 * expect-stdout: "q 5 9 20\n"
 * failure: none
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char c;
    long l;
    short s;
};

struct partial {
    int used;
    int unused[6];
};

static struct padded make(char c, long l)
{
    struct padded p;
    p.c = c;
    p.l = l;
    p.s = 9;
    return p;
}

static struct partial half(int v)
{
    struct partial p;
    p.used = v;
    return p;
}

int main(void)
{
    struct padded a = make('q', 5), b, *h = malloc(3 * sizeof *h);
    struct partial p = half(20), q;
    char raw[64], *copy = malloc(64);

    b = a;
    h[1] = b;
    memcpy(raw, &h[1], sizeof h[1]);
    memcpy(&b, raw, sizeof b);
    raw[40] = 1;
    memcpy(copy, raw, sizeof raw);
    q = p;
    printf("%c %ld %d %d\n", b.c, b.l, b.s, q.used);
    free(copy);
    free(h);
    return 0;
}
