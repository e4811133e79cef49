/*
 * what: out-of-bounds read on the stack: memcpy with a length taken from the message itself
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <string.h>

struct beat {
    unsigned char kind;
    unsigned char length;
    char payload[6];
};

static char reply[64];
static int replies;

static int echo(const struct beat *b)
{
    replies++; /* @clean */
    memcpy(reply, b->payload, b->length); /* @fail */
    return b->length;
}

static void build(struct beat *b, const char *text)
{
    b->kind = 1;
    memset(b->payload, 0, sizeof b->payload);
    strncpy(b->payload, text, sizeof b->payload);
    b->length = (unsigned char)(strlen(text) + 14); /* @cause */
}

int main(void)
{
    struct beat b;
    int n;
    build(&b, "ping"); /* @cause */
    n = echo(&b);      /* @cause */
    printf("%d %d %.4s\n", n, replies, reply);
    return 0;
}
