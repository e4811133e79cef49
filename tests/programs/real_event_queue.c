/*
 * what: a discrete event simulation over a binary heap priority queue; does not fail
 * args: 12 7
 * expect-stdout: "served 12, waited 14, longest queue 2, end 50\nheap 3 5 8 9 12 20 31\n"
 * failure: none
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum what { ARRIVE, START, LEAVE };

struct event {
    long time;
    enum what what;
    int customer;
    unsigned order;
};

struct heap {
    struct event *v;
    size_t n, room;
    unsigned orders;
};

struct desk {
    int queue[64];
    int head, tail;
    int busy;
    int served, longest;
    long waited;
    long arrived[64];
};

static unsigned seed;

static unsigned next_random(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static int before(const struct event *a, const struct event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->order < b->order;
}

static void swap(struct event *a, struct event *b)
{
    struct event t = *a;
    *a = *b;
    *b = t;
}

static void heap_push(struct heap *h, struct event e)
{
    size_t i;
    if (h->n == h->room) {
        h->room = h->room ? 2 * h->room : 4;
        h->v = realloc(h->v, h->room * sizeof *h->v);
        assert(h->v);
    }
    e.order = h->orders++;
    i = h->n++;
    h->v[i] = e;
    while (i > 0 && before(&h->v[i], &h->v[(i - 1) / 2])) {
        swap(&h->v[i], &h->v[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static struct event heap_pop(struct heap *h)
{
    struct event top = h->v[0];
    size_t i = 0, child;
    assert(h->n > 0);
    h->v[0] = h->v[--h->n];
    while ((child = 2 * i + 1) < h->n) {
        if (child + 1 < h->n && before(&h->v[child + 1], &h->v[child]))
            child++;
        if (!before(&h->v[child], &h->v[i]))
            break;
        swap(&h->v[child], &h->v[i]);
        i = child;
    }
    return top;
}

static void schedule(struct heap *h, long time, enum what what, int customer)
{
    heap_push(h, (struct event){.time = time, .what = what, .customer = customer});
}

static void handle(struct heap *h, struct desk *d, struct event e)
{
    int length;
    switch (e.what) {
    case ARRIVE:
        d->arrived[e.customer] = e.time;
        d->queue[d->tail++] = e.customer;
        length = d->tail - d->head;
        if (length > d->longest)
            d->longest = length;
        if (!d->busy)
            schedule(h, e.time, START, 0);
        break;
    case START:
        if (d->busy || d->head == d->tail)
            break;
        d->busy = 1;
        d->waited += e.time - d->arrived[d->queue[d->head]];
        schedule(h, e.time + 2 + next_random(4), LEAVE, d->queue[d->head++]);
        break;
    case LEAVE:
        d->busy = 0;
        d->served++;
        schedule(h, e.time, START, 0);
        break;
    }
}

static void sort_demo(void)
{
    static const long times[] = {20, 5, 31, 9, 3, 12, 8};
    struct heap h = {0};
    size_t i;
    long last = -1;

    for (i = 0; i < sizeof times / sizeof times[0]; i++)
        schedule(&h, times[i], ARRIVE, (int)i);
    printf("heap");
    while (h.n) {
        struct event e = heap_pop(&h);
        assert(e.time >= last);
        last = e.time;
        printf(" %ld", e.time);
    }
    printf("\n");
    free(h.v);
}

int main(int argc, char **argv)
{
    struct heap h = {0};
    static struct desk d;
    long now = 0;
    int customers, i;

    if (argc != 3)
        return 2;
    customers = atoi(argv[1]);
    seed = (unsigned)atoi(argv[2]);
    assert(customers <= 64);
    for (i = 0; i < customers; i++) {
        now += next_random(8);
        schedule(&h, now, ARRIVE, i);
    }
    while (h.n) {
        struct event e = heap_pop(&h);
        now = e.time;
        handle(&h, &d, e);
    }
    printf("served %d, waited %ld, longest queue %d, end %ld\n", d.served, d.waited, d.longest, now);
    assert(d.served == customers && d.head == d.tail);
    free(h.v);
    sort_demo();
    return 0;
}
