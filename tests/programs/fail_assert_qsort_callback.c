/*
 * what: an assertion inside a comparison function that qsort calls
 * failure: assertion
 * message: x->name != NULL
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    const char *name;
    int age;
};

static int compare(const void *a, const void *b)
{
    const struct person *x = a, *y = b;
    assert(x->name != NULL && y->name != NULL); /* @fail */
    return strcmp(x->name, y->name);
}

static int fill(struct person *p, const char **names, int n)
{
    int i, total = 0;
    for (i = 0; i < n; i++) {
        p[i].name = names[i]; /* @cause */
        p[i].age = 20 + i;
        total += p[i].age; /* @clean */
    }
    return total;
}

int main(void)
{
    const char *names[4] = {"mia", "tom", "ana"}; /* @cause */
    struct person people[4];
    int total;

    total = fill(people, names, 4);
    printf("%d\n", total);
    qsort(people, 4, sizeof people[0], compare); /* @cause */
    printf("%s\n", people[0].name);
    return 0;
}
