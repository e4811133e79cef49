/*
 * what: a name that is not in the table gives a null pointer
 * failure: signal
 */
#include <stdio.h>
#include <string.h>

struct entry {
    const char *name;
    int value;
};

static struct entry table[] = {{"red", 1}, {"green", 2}, {"blue", 3}};

static struct entry *find(const char *name)
{
    unsigned i;
    for (i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    if (strlen(argv[1]) < 3)
        return 1;
    printf("%d\n", find(argv[1])->value); /* @fail */
    return 0;
}
