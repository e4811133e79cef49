/*
 * what: an LRU cache with a hash index and a doubly linked list; an evicted entry stays in the index
 * args: a b c a d b f a
 * failure: memory
 * memory: use-after-free
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4

struct page {
    char key[16];
    int hits;
    struct page *prev, *next;
    struct page *chain;
};

struct cache {
    struct page *index[BUCKETS];
    struct page *newest, *oldest;
    int count, capacity;
    int misses, evictions;
};

static unsigned bucket_of(const char *key)
{
    unsigned h = 0;
    while (*key)
        h += (unsigned char)*key++;
    return h % BUCKETS;
}

static void unlink_page(struct cache *c, struct page *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else
        c->newest = p->next;
    if (p->next)
        p->next->prev = p->prev;
    else
        c->oldest = p->prev;
    p->prev = p->next = NULL;
}

static void push_front(struct cache *c, struct page *p)
{
    p->next = c->newest;
    p->prev = NULL;
    if (c->newest)
        c->newest->prev = p;
    else
        c->oldest = p;
    c->newest = p;
}

static struct page *find(struct cache *c, const char *key)
{
    struct page *p = c->index[bucket_of(key)]; /* @cause */
    while (p && strcmp(p->key, key) != 0) /* @fail */
        p = p->chain;
    return p;
}

static void index_add(struct cache *c, struct page *p)
{
    unsigned b = bucket_of(p->key);
    p->chain = c->index[b];
    c->index[b] = p; /* @cause */
}

static void index_remove(struct cache *c, struct page *p)
{
    struct page **link = &c->index[bucket_of(p->key)];
    if (*link == p && p->chain) /* @omission */
        *link = p->chain;
    else
        while (*link && (*link)->chain) {
            if ((*link)->chain == p)
                (*link)->chain = p->chain;
            link = &(*link)->chain;
        }
}

static void evict(struct cache *c)
{
    struct page *p = c->oldest; /* @cause */
    unlink_page(c, p);
    index_remove(c, p);
    free(p); /* @cause */
    c->count--;
    c->evictions++; /* @clean */
}

static struct page *load(const char *key)
{
    struct page *p = calloc(1, sizeof *p);
    strncpy(p->key, key, sizeof p->key - 1);
    return p;
}

static struct page *get(struct cache *c, const char *key)
{
    struct page *p = find(c, key); /* @cause */
    if (p) {
        p->hits++;
        unlink_page(c, p);
        push_front(c, p);
        return p;
    }
    c->misses++; /* @clean */
    p = load(key);
    if (c->count == c->capacity)
        evict(c); /* @cause */
    push_front(c, p);
    index_add(c, p); /* @cause */
    c->count++;
    return p;
}

static void show(const struct cache *c)
{
    const struct page *p;
    for (p = c->newest; p; p = p->next)
        printf("%s(%d) ", p->key, p->hits);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct cache cache;
    int i;

    memset(&cache, 0, sizeof cache);
    cache.capacity = 3;
    for (i = 1; i < argc; i++) { /* @cause */
        get(&cache, argv[i]); /* @cause */
        show(&cache);
    }
    printf("misses %d evictions %d\n", cache.misses, cache.evictions);
    return 0;
}
