/*
 * what: a chained hash table that grows; the rehash loses the rest of a chain
 * failure: assertion
 * message: lost == 0
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    int value;
    unsigned hash;
    struct entry *next;
};

struct table {
    struct entry **bucket;
    unsigned size;
    unsigned count;
    unsigned long probes;
};

static unsigned hash_of(const char *s)
{
    unsigned h = 0;
    for (; *s; s++)
        h = h * 31 + (unsigned char)*s;
    return h;
}

static void table_init(struct table *t, unsigned size)
{
    t->bucket = calloc(size, sizeof *t->bucket);
    t->size = size;
    t->count = 0;
    t->probes = 0;
}

static void link_entry(struct entry **bucket, unsigned size, struct entry *e)
{
    unsigned i = e->hash % size;
    e->next = bucket[i]; /* @cause */
    bucket[i] = e;
}

static void grow(struct table *t)
{
    unsigned size = t->size * 2, i;
    struct entry **bucket = calloc(size, sizeof *bucket); /* @cause */
    for (i = 0; i < t->size; i++) {                       /* @cause */
        struct entry *e = t->bucket[i];
        while (e) {
            link_entry(bucket, size, e); /* @cause */
            e = e->next; /* @cause */
        }
    }
    free(t->bucket);
    t->bucket = bucket; /* @cause */
    t->size = size;     /* @cause */
}

static struct entry *find(struct table *t, const char *key)
{
    unsigned h = hash_of(key);
    struct entry *e;
    for (e = t->bucket[h % t->size]; e; e = e->next) { /* @cause */
        t->probes++; /* @clean */
        if (e->hash == h && strcmp(e->key, key) == 0)
            return e;
    }
    return NULL; /* @cause */
}

static void put(struct table *t, const char *key, int value)
{
    struct entry *e = find(t, key);
    if (e) {
        e->value = value;
        return;
    }
    if (t->count + 1 > t->size * 2) /* @cause */
        grow(t);                    /* @cause */
    e = malloc(sizeof *e);
    e->key = strdup(key);
    e->value = value;
    e->hash = hash_of(key);
    link_entry(t->bucket, t->size, e);
    t->count++; /* @cause */
}

static int get(struct table *t, const char *key, int missing)
{
    struct entry *e = find(t, key); /* @cause */
    return e ? e->value : missing;  /* @cause */
}

static int remove_key(struct table *t, const char *key)
{
    unsigned h = hash_of(key);
    struct entry **p = &t->bucket[h % t->size];
    while (*p) {
        struct entry *e = *p;
        if (e->hash == h && !strcmp(e->key, key)) {
            *p = e->next;
            free(e->key);
            free(e);
            t->count--;
            return 1;
        }
        p = &e->next;
    }
    return 0;
}

static const char *const words[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
};

#define NWORDS ((int)(sizeof words / sizeof words[0]))

int main(void)
{
    struct table t;
    char key[32];
    int i, lost = 0, letters = 0;

    table_init(&t, 4);
    for (i = 0; i < NWORDS; i++) {
        snprintf(key, sizeof key, "%s-%d", words[i], i);
        put(&t, key, i * i); /* @cause */
        letters += (int)strlen(words[i]); /* @clean */
    }
    for (i = 0; i < NWORDS; i++) {
        snprintf(key, sizeof key, "%s-%d", words[i], i);
        if (get(&t, key, -1) != i * i) /* @cause */
            lost++; /* @cause */
    }
    remove_key(&t, "absent");
    printf("%u entries, %u buckets, %d letters\n", t.count, t.size, letters);
    assert(lost == 0); /* @fail */
    return 0;
}
