/*
 * what: _Bool and bit-fields, signed and unsigned, across storage units
 * failure: assertion
 * message: p.ttl == 9
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

struct packet {
    unsigned version : 4;
    unsigned ttl : 3;
    int delta : 5;
    _Bool urgent : 1;
    unsigned : 0;
    unsigned long long id : 40;
    unsigned long long kind : 24;
};

static void set_ttl(struct packet *p, int hops)
{
    p->ttl = hops; /* @cause */
}

int main(void)
{
    struct packet p = {0};
    bool any = 12;
    int hops = 4;
    long seen;

    p.version = 6;
    p.delta = -7;
    p.urgent = 2;
    p.id = 0x123456789aULL;
    p.kind = 0xabcdef;
    seen = p.id + p.kind; /* @clean */
    hops = hops * 2 + 1;  /* @cause */
    set_ttl(&p, hops);    /* @cause */
    any = any && seen;    /* @clean */
    printf("%d %d %d %d\n", p.version, p.delta, p.urgent, any);
    assert(p.delta == -7);
    assert(p.ttl == 9); /* @fail */
    return 0;
}
