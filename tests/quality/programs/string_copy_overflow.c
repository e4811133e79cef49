/* A phone book that copies a name into a fixed array without a look at its length.
 *
 * args: Ann Bartholomew
 * at: add
 * says: strcpy\(\)
 * says: 12 bytes|too many
 * says: `?name`?.*8
 * not: heap block
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[8];
    int number;
};

struct book {
    struct person *people;
    size_t used, room;
};

static void grow(struct book *b)
{
    size_t room = b->room ? 2 * b->room : 4;
    struct person *people = realloc(b->people, room * sizeof *people);
    if (!people)
        exit(1);
    b->people = people;
    b->room = room;
}

static void add(struct book *b, const char *name, int number)
{
    if (b->used == b->room)
        grow(b);
    char copy[8];
    strcpy(copy, name);
    memcpy(b->people[b->used].name, copy, sizeof copy);
    b->people[b->used].number = number;
    b->used++;
}

static const struct person *find(const struct book *b, const char *name)
{
    for (size_t i = 0; i < b->used; i++)
        if (!strncmp(b->people[i].name, name, sizeof b->people[i].name))
            return &b->people[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct book book = {NULL, 0, 0};
    for (int i = 1; i < argc; i++)
        add(&book, argv[i], 100 + i);
    for (int i = 1; i < argc; i++) {
        const struct person *p = find(&book, argv[i]);
        printf("%s %d\n", argv[i], p ? p->number : -1);
    }
    free(book.people);
    return 0;
}
