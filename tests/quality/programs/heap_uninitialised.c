/* A counter in a block from malloc is used without having been set.
 *
 * args: a b
 * at: main
 * says: never given a value
 * says: struct tally
 * says: malloc
 */
#include <stdio.h>
#include <stdlib.h>

struct tally {
    int words;
    int letters;
};

static struct tally *tally_new(void)
{
    struct tally *t = malloc(sizeof *t);
    if (!t)
        exit(1);
    t->words = 0;
    return t;
}

static void tally_add(struct tally *t, const char *word)
{
    t->words++;
    while (*word++)
        t->letters++;
}

int main(int argc, char **argv)
{
    struct tally *t = tally_new();
    for (int i = 1; i < argc; i++)
        tally_add(t, argv[i]);
    if (t->letters > t->words)
        puts("long words");
    free(t);
    return 0;
}
