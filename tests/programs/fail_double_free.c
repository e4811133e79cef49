/*
 * what: double free: two owners of one string after a struct copy
 * failure: memory
 * memory: double-free
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    char *name;
    int id;
};

static int destroyed;

static void init(struct user *u, const char *name)
{
    u->name = malloc(strlen(name) + 1); /* @cause */
    strcpy(u->name, name);
    u->id = 7;
}

static void destroy(struct user *u)
{
    destroyed++; /* @clean */
    free(u->name); /* @fail */
    u->name = NULL;
}

int main(void)
{
    struct user a, b;
    init(&a, "someone with a name"); /* @cause */
    b = a;       /* @cause */
    destroy(&a); /* @cause */
    printf("%d\n", destroyed);
    fflush(stdout);
    destroy(&b); /* @cause */
    return 0;
}
