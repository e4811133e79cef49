/*
 * what: out-of-bounds write on a global by memcpy: the size of another object is used
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <string.h>

struct header {
    char name[8];
    int version;
};

static char names[2][8];
static int after_names = 1;
static int loads;

static size_t amount(const struct header *h)
{
    return h->version > 1 ? sizeof *h : sizeof h->name; /* @cause */
}

static void load(const struct header *h, int slot)
{
    loads += slot;                       /* @clean */
    memcpy(names[slot], h, amount(h)); /* @fail */
}

int main(void)
{
    struct header one = {"first", 1}, two = {"second", 2}; /* @cause */
    load(&one, 0);
    load(&two, 1); /* @cause */
    printf("%s %s %d\n", names[0], names[1], loads);
    return after_names > 99;
}
