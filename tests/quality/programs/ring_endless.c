/* A ring buffer search that never ends: the step is computed as 0 for a full ring.
 *
 * args: 4
 * steps: 20000
 * at: first_free
 * says: does not end
 * says: `step`|`at`
 * says: in every round
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 8

struct ring {
    int used[SLOTS];
    int count;
};

static int step_for(const struct ring *r)
{
    int left = SLOTS - r->count;
    return left % (SLOTS / 2);
}

static int first_free(const struct ring *r, int start)
{
    int step = step_for(r);
    int at = start;
    while (r->used[at])
        at = (at + step) % SLOTS;
    return at;
}

static void put(struct ring *r, int start)
{
    int at = first_free(r, start);
    r->used[at] = 1;
    r->count++;
}

int main(int argc, char **argv)
{
    struct ring ring;
    memset(&ring, 0, sizeof ring);
    int items = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i <= items; i++)
        put(&ring, 0);
    printf("%d\n", ring.count);
    return 0;
}
