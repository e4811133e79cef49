/* Round robin scheduling of processes with a ring buffer.
 *
 *   rrobin QUANTUM SWITCH burst[@arrival] ...
 *
 * Every process gets QUANTUM ticks at a time; SWITCH ticks are lost when the
 * processor goes from one process to another. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PROCS 12
#define RING_SIZE (MAX_PROCS + 1)

typedef struct {
    int arrival, burst;
    int left;
    int started; /* -1 before the first time */
    int finished;
} Proc;

typedef struct {
    int slot[RING_SIZE];
    int head, tail;
} Ring;

static Proc procs[MAX_PROCS];
static int nprocs;
static char chart[512];

static int ring_empty(const Ring *r) { return r->head == r->tail; }

static int ring_length(const Ring *r)
{
    return (r->tail - r->head + RING_SIZE) % RING_SIZE;
}

static void ring_put(Ring *r, int p)
{
    assert(ring_length(r) < RING_SIZE - 1);
    r->slot[r->tail] = p;
    r->tail = (r->tail + 1) % RING_SIZE;
}

static int ring_get(Ring *r)
{
    assert(!ring_empty(r));
    int p = r->slot[r->head];
    r->head = (r->head + 1) % RING_SIZE;
    return p;
}

static void draw(char c, int ticks)
{
    size_t n = strlen(chart);
    while (ticks-- > 0 && n < sizeof chart - 1)
        chart[n++] = c;
    chart[n] = '\0';
}

/* Puts those that arrive in (since, until] into the ring. */
static void admit(Ring *r, int since, int until)
{
    for (int t = since + 1; t <= until; t++)
        for (int p = 0; p < nprocs; p++)
            if (procs[p].arrival == t)
                ring_put(r, p);
}

static int simulate(int quantum, int cost)
{
    Ring ready = { .head = 0, .tail = 0 };
    int now = 0, remaining = nprocs, previous = -1;

    admit(&ready, -1, 0);
    while (remaining > 0) {
        if (ring_empty(&ready)) {
            draw('.', 1);
            admit(&ready, now, now + 1);
            now++;
            continue;
        }
        int p = ring_get(&ready);
        if (previous >= 0 && previous != p) {
            draw('/', cost);
            admit(&ready, now, now + cost);
            now += cost;
        }
        previous = p;
        Proc *q = &procs[p];
        if (q->started < 0)
            q->started = now;
        int slice = q->left < quantum ? q->left : quantum;
        draw((char)('A' + p), slice);
        q->left -= slice;
        admit(&ready, now, now + slice);
        now += slice;
        if (q->left > 0) {
            ring_put(&ready, p);
        } else {
            q->finished = now;
            remaining--;
        }
    }
    return now;
}

static void report(int end)
{
    int turnaround = 0, waiting = 0, response = 0, busy = 0;

    for (int p = 0; p < nprocs; p++) {
        const Proc *q = &procs[p];
        int t = q->finished - q->arrival;
        printf("%c: finished %d, turnaround %d, waiting %d\n", 'A' + p, q->finished, t, t - q->burst);
        turnaround += t;
        waiting += t - q->burst;
        response += q->started - q->arrival;
        busy += q->burst;
    }
    if (nprocs > 0)
        printf("mean turnaround %.2f, waiting %.2f, response %.2f\n", (double)turnaround / nprocs, (double)waiting / nprocs, (double)response / nprocs);
    if (end > 0)
        printf("busy %d%%\n", 100 * busy / end);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: rrobin QUANTUM SWITCH burst[@arrival]...\n");
        return 2;
    }
    int quantum = atoi(argv[1]);
    int cost = atoi(argv[2]);
    if (quantum < 1 || cost < 0 || argc - 3 > MAX_PROCS)
        return 2;
    for (int i = 3; i < argc; i++) {
        Proc q = { .arrival = 0, .started = -1 };
        if (sscanf(argv[i], "%d@%d", &q.burst, &q.arrival) < 1 || q.burst < 1 || q.arrival < 0) {
            printf("bad process %s\n", argv[i]);
            return 1;
        }
        q.left = q.burst;
        procs[nprocs++] = q;
    }
    int end = simulate(quantum, cost);
    printf("|%s|\n", chart);
    report(end);
    return 0;
}
