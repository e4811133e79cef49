/*
 * what: globals with initialisers: pointers between globals, tables of structs, a cyclic list
 * args: b
 * failure: output
 * expect-stdout: "b -> c weight 6\n"
 */
#include <stdio.h>
#include <string.h>

struct station {
    const char *name;
    const struct station *next;
    const int *weight;
};

static int weights[] = {2, 5, 7}; /* @cause */
extern const struct station c;
static const struct station b = {"b", &c, weights + 1}; /* @cause */
static const struct station a = {"a", &b, weights};
const struct station c = {"c", &a, &weights[2]};

static const struct station *const all[] = {&a, &b, &c, NULL}; /* @cause */
static int visited;

static const struct station *find(const char *name)
{
    const struct station *const *p;
    for (p = all; *p; p++) {
        visited++; /* @clean */
        if (!strcmp((*p)->name, name)) /* @cause */
            return *p;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct station *s = find(argv[1]);                                     /* @cause */
    printf("%s -> %s weight %d\n", s->name, s->next->name, *s->weight); /* @fail */
    return 0;
}
