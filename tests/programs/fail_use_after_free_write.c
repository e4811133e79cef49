/*
 * what: use after free (write): the buffer was moved but an alias is still written
 * failure: memory
 * memory: use-after-free
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t len;
};

static int writes;

static void reserve(struct buffer *b, size_t n)
{
    char *bigger = malloc(n);
    memcpy(bigger, b->data, b->len);
    free(b->data); /* @cause */
    b->data = bigger;
}

static void set(char *where, char c)
{
    writes += 2; /* @clean */
    *where = c;  /* @fail */
}

int main(void)
{
    struct buffer b;
    char *cursor;

    b.data = malloc(8); /* @cause */
    b.len = 8;
    memset(b.data, '-', 8);
    cursor = b.data + 3; /* @cause */
    set(cursor, 'x');
    reserve(&b, 4000); /* @cause */
    set(cursor, 'y');  /* @cause */
    printf("%.8s %d\n", b.data, writes);
    free(b.data);
    return 0;
}
