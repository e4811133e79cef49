/* A cache that evicts the least recently used entry; a hit does not refresh the entry's time.
 *
 * args: a b a c a
 * expect: miss a\nmiss b\nhit a\nmiss c\nhit a\n
 * at: access_key
 * says: printed "miss" where "hit" was expected
 * says: `?found`?|slot
 */
#include <stdio.h>
#include <string.h>

#define ENTRIES 2

struct entry {
    char key[8];
    int time;
    int is_used;
};

static struct entry cache[ENTRIES];
static int now;

static struct entry *find(const char *key)
{
    for (int i = 0; i < ENTRIES; i++)
        if (cache[i].is_used && strcmp(cache[i].key, key) == 0)
            return &cache[i];
    return NULL;
}

static struct entry *victim(void)
{
    struct entry *oldest = &cache[0];
    for (int i = 0; i < ENTRIES; i++) {
        if (!cache[i].is_used)
            return &cache[i];
        if (cache[i].time < oldest->time)
            oldest = &cache[i];
    }
    return oldest;
}

static void access_key(const char *key)
{
    struct entry *found = find(key);
    const char *word = found ? "hit" : "miss";
    now++;
    if (!found) {
        struct entry *slot = victim();
        strncpy(slot->key, key, sizeof slot->key - 1);
        slot->is_used = 1;
        slot->time = now;
    }
    printf("%s %s\n", word, key);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        access_key(argv[i]);
    return 0;
}
