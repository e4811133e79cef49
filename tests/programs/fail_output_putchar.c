/*
 * what: a wrong character from putchar: run length decoding with an off by one
 * args: a3b2c1
 * failure: output
 * expect-stdout: "aaabbc\n"
 */
#include <ctype.h>
#include <stdio.h>

struct state {
    char symbol;
    int left;
    int groups;
};

static const char *load(struct state *s, const char *p)
{
    s->symbol = *p++;        /* @cause */
    s->left = *p++ - '0' - (s->symbol == 'b'); /* @cause */
    s->groups++;             /* @clean */
    return p;
}

int main(int argc, char **argv)
{
    struct state s = {0, 0, 0};
    const char *p = argv[1]; /* @cause */

    while (*p) {          /* @cause */
        p = load(&s, p);  /* @cause */
        for (; s.left > 0; s.left--)
            putchar(s.symbol); /* @fail */
    }
    putchar('\n');
    return 0;
}
