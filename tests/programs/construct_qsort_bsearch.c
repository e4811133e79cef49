/*
 * what: qsort and bsearch with callbacks; the comparison overflows
 * failure: assertion
 * message: found
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    int key;
    char name[4];
};

static long compared;

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (int)((unsigned)x->key - (unsigned)y->key); /* @cause */
}

static int by_name(const void *a, const void *b)
{
    compared++; /* @clean */
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
    struct item items[] = { /* @cause */
        {2000000000, "top"}, {-2000000000, "low"}, {5, "e"}, {1, "a"}, {3, "c"},
    };
    const char *words[] = {"pear", "fig", "apple"};
    struct item want = {1, ""}; /* @cause */
    struct item *found;

    qsort(words, 3, sizeof words[0], by_name);
    qsort(items, 5, sizeof items[0], by_key);               /* @cause */
    found = bsearch(&want, items, 5, sizeof items[0], by_key); /* @cause */
    printf("%s %s\n", words[0], found ? found->name : "-");
    assert(found && items[0].key < items[4].key); /* @fail */
    return 0;
}
