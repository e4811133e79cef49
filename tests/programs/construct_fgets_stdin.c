/*
 * what: standard input by fgets: the newline stays in the key and a lookup misses
 * stdin: "red 4\ngreen\nblue 6\n"
 * failure: assertion
 * message: weight == 10
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct colour {
    const char *name;
    int weight;
} known[] = {{"red", 1}, {"green", 10}, {"blue", 100}};

static int lines;

static int lookup(const char *name)
{
    int i;
    for (i = 0; i < 3; i++)
        if (strcmp(known[i].name, name) == 0) /* @cause */
            return known[i].weight;
    return 0; /* @cause */
}

int main(void)
{
    char buf[32], key[32], *space;
    int weight = 0;

    while (fgets(buf, sizeof buf, stdin)) {
        lines++; /* @clean */
        if (buf[0] == 'g') {
            strcpy(key, buf); /* @cause */
            space = strchr(key, ' ');
            if (space)
                *space = 0;
            weight = lookup(key); /* @cause */
        }
    }
    printf("%d\n", lines);
    assert(weight == 10); /* @fail */
    return 0;
}
