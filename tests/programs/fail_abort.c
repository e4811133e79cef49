/*
 * what: abort() from a consistency check in a nested call
 * failure: assertion
 * signal: SIGABRT
 */
#include <stdio.h>
#include <stdlib.h>

struct ring {
    int slot[4];
    unsigned head, count;
};

static long pushes;

static void verify(const struct ring *r)
{
    if (r->count > 4) { /* @cause */
        fprintf(stderr, "ring is overfull: %u\n", r->count);
        abort(); /* @fail */
    }
}

static void push(struct ring *r, int v)
{
    r->slot[(r->head + r->count) % 4] = v;
    r->count++; /* @cause */
    pushes += v; /* @clean */
    verify(r);  /* @cause */
}

static int pop(struct ring *r)
{
    int v = r->slot[r->head % 4];
    r->head++;
    return v; /* the count is not decremented */
}

int main(void)
{
    struct ring r = {{0}, 0, 0}; /* @cause */
    int i, out = 0;
    for (i = 0; i < 6; i++) {
        push(&r, i); /* @cause */
        if (i % 2)
            out += pop(&r);
    }
    return out;
}
