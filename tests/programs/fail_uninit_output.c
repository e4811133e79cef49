/*
 * what: an uninitialised struct member on the heap is printed
 * failure: memory
 * memory: uninitialised
 */
#include <stdio.h>
#include <stdlib.h>

struct point {
    int x, y, z;
};

static int made;

static struct point *make(int x, int y)
{
    struct point *p = malloc(sizeof *p); /* @cause */
    p->x = x; /* @clean */
    p->y = y; /* z is forgotten */
    made += 2; /* @clean */
    return p;
}

int main(void)
{
    struct point *p = make(3, 4); /* @cause */
    printf("at %d %d\n", p->x, made);
    printf("height %d\n", p->z); /* @fail */
    free(p);
    return 0;
}
