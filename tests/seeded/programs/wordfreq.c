/* wordfreq [N] - the N most frequent words of stdin (default 5)
 *
 * Words are sequences of letters and apostrophes, compared without case.
 * They are kept in a hash table with chains; the table doubles when full. */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 31

struct entry {
    struct entry *next;
    unsigned hash;
    int count;
    int first; /* number of the word at which it was first seen */
    char word[];
};

struct table {
    struct entry **slots;
    unsigned size;
    unsigned used;
};

static void *checked(void *p)
{
    if (p == NULL) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return p;
}

static unsigned hash_of(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static void init(struct table *t, unsigned size)
{
    t->slots = checked(calloc(size, sizeof *t->slots));
    t->size = size;
    t->used = 0;
}

static void grow(struct table *t)
{
    struct table bigger;

    init(&bigger, t->size * 2);
    for (unsigned i = 0; i < t->size; i++) {
        struct entry *e = t->slots[i];
        while (e != NULL) {
            struct entry *next = e->next;
            unsigned slot = e->hash % bigger.size;
            e->next = bigger.slots[slot];
            bigger.slots[slot] = e;
            e = next;
        }
    }
    bigger.used = t->used;
    free(t->slots);
    *t = bigger;
}

static struct entry *lookup(const struct table *t, const char *word, unsigned hash)
{
    struct entry *e = t->slots[hash % t->size];
    while (e != NULL && (e->hash != hash || strcmp(e->word, word) != 0))
        e = e->next;
    return e;
}

static void add(struct table *t, const char *word, int position)
{
    unsigned hash = hash_of(word);
    struct entry *e = lookup(t, word, hash);

    if (e != NULL) {
        e->count++;
        return;
    }
    if (t->used == t->size)
        grow(t);
    e = checked(malloc(sizeof *e + strlen(word) + 1));
    strcpy(e->word, word);
    e->hash = hash;
    e->count = 1;
    e->first = position;
    e->next = t->slots[hash % t->size];
    t->slots[hash % t->size] = e;
    t->used++;
}

static bool next_word(char *word)
{
    int c, n = 0;

    do {
        c = getchar();
    } while (c != EOF && !isalpha(c));
    while (c != EOF && (isalpha(c) || c == '\'')) {
        if (n < LONGEST)
            word[n++] = (char)tolower(c);
        c = getchar();
    }
    while (n > 0 && word[n - 1] == '\'')
        n--;
    word[n] = '\0';
    return n > 0;
}

static int by_count(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a;
    const struct entry *y = *(struct entry *const *)b;

    if (x->count != y->count)
        return y->count - x->count;
    return x->first - y->first;
}

static struct entry **sorted(const struct table *t)
{
    struct entry **all = checked(malloc((t->used + 1) * sizeof *all));
    unsigned n = 0;

    for (unsigned i = 0; i < t->size; i++)
        for (struct entry *e = t->slots[i]; e != NULL; e = e->next)
            all[n++] = e;
    qsort(all, n, sizeof *all, by_count);
    return all;
}

int main(int argc, char **argv)
{
    unsigned top = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
    struct table words;
    char word[LONGEST + 1];
    int total = 0;

    init(&words, 4);
    while (next_word(word))
        add(&words, word, ++total);

    struct entry **list = sorted(&words);
    for (unsigned i = 0; i < words.used && i < top; i++)
        printf("%4d %5.1f%% %s\n", list[i]->count, 100.0 * list[i]->count / total, list[i]->word);
    printf("%d words, %u different\n", total, words.used);

    for (unsigned i = 0; i < words.used; i++)
        free(list[i]);
    free(list);
    free(words.slots);
    return 0;
}
