/*
 * what: a wild pointer computed from an integer; the mask lost its high part
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdint.h>
#include <stdio.h>

struct cell {
    long value;
    uintptr_t link;
};

static struct cell cells[4];

static uintptr_t pack(struct cell *c, unsigned tag)
{
    return (uintptr_t)c << 16 | tag; /* @cause */
}

static struct cell *unpack(uintptr_t v)
{
    return (struct cell *)(v >> 8 & 0xffffffffffff00); /* @cause */
}

int main(void)
{
    struct cell *c;
    int i;
    long sum = 0, tags = 0;

    for (i = 0; i < 3; i++) {
        cells[i].value = i;
        cells[i].link = pack(&cells[i + 1], i); /* @cause */
        tags += cells[i].link & 3;              /* @clean */
    }
    c = unpack(cells[0].link); /* @cause */
    sum = c->value;            /* @fail */
    printf("%ld %ld\n", sum, tags);
    return 0;
}
