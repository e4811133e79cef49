/*
 * what: malloc, calloc, realloc and free: a growing vector loses its last element
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vec {
    int *data;
    size_t len, cap;
};

static void grow(struct vec *v)
{
    size_t cap = v->cap ? v->cap * 2 : 2;
    v->data = realloc(v->data, cap * sizeof *v->data);
    memset(v->data + v->len - (v->len > 0), 0, (cap - v->len) * sizeof *v->data); /* @cause */
    v->cap = cap;
}

static void push(struct vec *v, int x)
{
    if (v->len == v->cap)
        grow(v);          /* @cause */
    v->data[v->len++] = x; /* @cause */
}

int main(void)
{
    struct vec *v = calloc(1, sizeof *v);
    int i, sum = 0, *other;

    other = calloc(4, sizeof *other);
    for (i = 1; i <= 6; i++) {
        push(v, i * 10);
        other[i % 4] += i; /* @clean */
    }
    for (i = 0; i < 6; i++)
        sum += v->data[i]; /* @cause */
    printf("%d %d\n", sum, other[1]);
    free(other);
    free(v->data);
    free(v);
    assert(sum == 210); /* @fail */
    return 0;
}
