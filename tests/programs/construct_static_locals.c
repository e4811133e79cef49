/*
 * what: static locals keep state between calls; a sequence number is advanced twice
 * failure: assertion
 * message: id == 3
 */
#include <assert.h>
#include <stdio.h>

static int *counter(void)
{
    static int value = 0; /* @cause */
    return &value;
}

static int new_id(void)
{
    return ++*counter(); /* @cause */
}

static const char *tick(void)
{
    static int calls;
    static char names[2][5] = {"tick", "tock"};
    calls++; /* @clean */
    return names[calls % 2];
}

static void audit(int id)
{
    if (id > 1)
        new_id(); /* @cause */
    tick();
}

int main(void)
{
    int id = 0, i;
    for (i = 0; i < 3; i++) {
        id = new_id(); /* @cause */
        audit(id);     /* @cause */
    }
    printf("%s %d\n", tick(), id);
    assert(id == 3); /* @fail */
    return 0;
}
