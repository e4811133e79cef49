/*
 * what: an assertion three calls deep; the fault is an unchecked setter called long before
 * failure: assertion
 * message: c->level >= 0
 */
#include <assert.h>
#include <stdio.h>

struct config {
    int level;
    int limit;
    const char *name;
};

static struct config configs[3];

static void set_level(int i, int level)
{
    configs[i].level = level; /* @cause */
}

static int digit(const struct config *c)
{
    assert(c->level >= 0); /* @fail */
    return '0' + c->level;
}

static int width(const struct config *c, int base)
{
    return base + digit(c); /* @cause */
}

static int render(int i)
{
    const struct config *c = &configs[i]; /* @cause */
    printf("%s:\n", c->name);
    return width(c, 2); /* @cause */
}

int main(void)
{
    int i, sum = 0;
    for (i = 0; i < 3; i++) {
        set_level(i, 1 - i);      /* @cause */
        configs[i].limit = 100;   /* @clean */
        configs[i].name = "entry";
    }
    for (i = 0; i < 3; i++)
        sum += render(i); /* @cause */
    return sum > 0;
}
