/*
 * what: legal edge cases: one past the end pointers, empty copies, free(NULL), realloc(NULL), malloc reuse; does not fail
 * expect-stdout: "10 10 abc 3\n"
 * failure: none
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int total(const int *from, const int *to)
{
    int t = 0;
    while (from != to)
        t += *from++;
    return t;
}

int main(void)
{
    int v[4] = {1, 2, 3, 4}, *end = v + 4, *p, *old, rounds = 0;
    int *heap = realloc(NULL, 4 * sizeof *heap);
    char exact[4];
    int i, a, b;

    free(NULL);
    memcpy(heap, v, sizeof v);
    memmove(end, end, 0);
    a = total(v, end);
    for (p = end; p-- > v;)
        heap[p - v] = *p;
    b = total(heap, heap + 4);
    strncpy(exact, "abc", sizeof exact);
    for (i = 0; i < 3; i++) {
        old = heap;
        free(heap);
        heap = malloc(16);
        heap[3] = i;
        rounds += heap[3] == i;
    }
    heap = realloc(heap, 400);
    heap[99] = 1;
    printf("%d %d %s %d\n", a, b, exact, rounds);
    free(heap);
    return old == NULL;
}
