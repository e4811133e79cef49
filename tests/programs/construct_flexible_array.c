/*
 * what: flexible array members on the heap: a message with a length header
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    unsigned short length;
    unsigned char kind;
    char body[];
};

static unsigned long sent;

static struct message *make(const char *text, unsigned extra)
{
    size_t n = strlen(text);                           /* @cause */
    struct message *m = malloc(sizeof *m + n + extra);
    m->length = (unsigned short)(n + extra); /* @cause */
    m->kind = 3;
    memset(m->body, '.', n + extra);
    memcpy(m->body, text, n);
    sent += m->kind; /* @clean */
    return m;
}

static int dots(const struct message *m)
{
    int n = 0, i;
    for (i = 0; i < m->length; i++) /* @cause */
        n += m->body[i] == '.';     /* @cause */
    return n;
}

int main(void)
{
    struct message *m = make("a.b", 4); /* @cause */
    int n = dots(m);                    /* @cause */
    free(m);
    printf("%d %lu\n", n, sent);
    assert(n == 1); /* @fail */
    return 0;
}
