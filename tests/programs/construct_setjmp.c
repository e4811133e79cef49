/*
 * what: setjmp and longjmp through several frames, with a code, nested handlers
 * failure: assertion
 */
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>

struct handler {
    jmp_buf env;
    struct handler *up;
};

static struct handler *top;
static int cleaned;

static void throw_(int code)
{
    struct handler *h = top;
    top = h->up;
    longjmp(h->env, code); /* @cause */
}

static int check(int v)
{
    if (v > 2)
        throw_(v - 1); /* @cause */
    return v;
}

static int walk(int depth)
{
    if (depth == 5)
        return check(depth); /* @cause */
    return walk(depth + 1) + 1; /* @cause */
}

static int attempt(void)
{
    struct handler h;
    volatile int state = 1;
    int code;

    h.up = top;
    top = &h;
    code = setjmp(h.env); /* @cause */
    if (code == 0) {
        state = 2; /* @clean */
        walk(0);
        state = 3;
    }
    cleaned += state;
    return code; /* @cause */
}

int main(void)
{
    struct handler outer;
    volatile int rounds = 0;
    int code;

    outer.up = NULL;
    top = &outer;
    if (setjmp(outer.env) != 0)
        rounds++;
    code = attempt(); /* @cause */
    printf("%d %d %d\n", code, rounds, cleaned);
    assert(code == 5); /* @fail */
    return 0;
}
