/*
 * what: struct assignment with padding, arrays of structs, copy on copy; siblings stay apart
 * failure: assertion
 * message: s.size == 24
 */
#include <assert.h>
#include <stdio.h>

struct entry {
    char tag;
    int size;
    short flags;
    long when;
};

static struct entry history[4];
static int used;

static void remember(struct entry e)
{
    history[used++] = e; /* @cause */
}

static struct entry last(void)
{
    return history[used - 1];
}

static void shrink(struct entry *e)
{
    e->size -= e->size / 2; /* @cause */
}

int main(void)
{
    struct entry e, s;

    e.tag = 'x';
    e.size = 24; /* @cause */
    e.flags = 3;
    e.when = 1000;
    shrink(&e);  /* @cause */
    remember(e); /* @cause */
    s = last();  /* @cause */
    e.size = 77; /* @clean */
    s.when++;    /* @clean */
    printf("%c %d %ld\n", s.tag, s.flags, s.when);
    assert(s.size == 24); /* @fail */
    return e.size - 77;
}
