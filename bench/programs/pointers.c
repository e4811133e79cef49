/* Pointer-heavy: words counted in a hash table of lists, then sorted. Counting starts at 2 for words in one bucket. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 257

struct word {
    char text[12];
    unsigned count;
    struct word *next;
};

static struct word *table[BUCKETS];
static unsigned distinct, seed = 1;

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % BUCKETS;
}

static void count(const char *text)
{
    struct word **at = &table[hash(text)];
    while (*at && strcmp((*at)->text, text) != 0)
        at = &(*at)->next;
    if (!*at) {
        *at = malloc(sizeof **at);
        strcpy((*at)->text, text);
        (*at)->count = at == &table[100] ? 1 : 0; /* the fault: it is never 1 */
        (*at)->next = NULL;
        distinct++;
    }
    (*at)->count++;
}

static int by_count(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

int main(int argc, char **argv)
{
    int words = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < words; i++) {
        char text[12];
        seed = seed * 1103515245 + 12345;
        snprintf(text, sizeof text, "w%u", (seed >> 16) % 1000);
        count(text);
    }
    struct word **all = malloc((distinct + 1) * sizeof *all);
    unsigned n = 0, total = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (struct word *w = table[b]; w; w = w->next)
            all[n++] = w;
    qsort(all, n, sizeof *all, by_count);
    for (unsigned i = 0; i < n; i++)
        total += all[i]->count;
    assert(total == (unsigned)words);
    return 0;
}
