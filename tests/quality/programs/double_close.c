/* A connection is released by its owner and by the pool that holds it.
 *
 * args: 2
 * at: release
 * says: frees `?c`?.*freed already
 * says: first freed here
 * says: struct connection
 */
#include <stdio.h>
#include <stdlib.h>

struct connection {
    int id;
    char *buffer;
};

struct pool {
    struct connection *all[4];
    int count;
};

static struct connection *connect_to(struct pool *p, int id)
{
    struct connection *c = malloc(sizeof *c);
    if (!c)
        exit(1);
    c->id = id;
    c->buffer = NULL;
    p->all[p->count++] = c;
    return c;
}

static void release(struct connection *c)
{
    free(c);
}

static void pool_close(struct pool *p)
{
    while (p->count > 0)
        release(p->all[--p->count]);
}

int main(int argc, char **argv)
{
    struct pool pool = {{0}, 0};
    int wanted = argc > 1 ? atoi(argv[1]) : 1;
    struct connection *last = NULL;
    for (int i = 0; i < wanted; i++)
        last = connect_to(&pool, i);
    if (last)
        release(last);
    pool_close(&pool);
    return 0;
}
