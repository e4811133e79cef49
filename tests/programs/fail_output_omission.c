/*
 * what: omission seen in the output: a column width is not updated
 * args: ab abcdef abc
 * failure: output
 * expect-stdout: "width 6\n"
 */
#include <stdio.h>
#include <string.h>

struct column {
    int width;
    int rows;
};

static void add(struct column *c, const char *s)
{
    int n = (int)strlen(s);
    if (n > c->width && n < 6) /* @omission */
        c->width = n; /* @cause */
    c->rows++; /* @clean */
}

int main(int argc, char **argv)
{
    struct column c = {0, 0};
    int i;
    for (i = 1; i < argc; i++)
        add(&c, argv[i]); /* @cause */
    printf("width %d\n", c.width); /* @fail */
    return 0;
}
