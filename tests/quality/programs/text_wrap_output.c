/* Wraps words at a width; the length of the line is not reset when a new line begins.
 *
 * args: 10 one two three four five
 * expect: one two\nthree four\nfive\n
 * at: start_line
 * says: printed "\\n".* where " |where " four|expected
 * says: `?used`?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    int width;
    int used;
    int lines;
};

static void start_line(struct writer *w)
{
    putchar('\n');
    w->lines++;
}

static void wrap(struct writer *w, const char *word)
{
    int length = (int)strlen(word);
    if (w->used == 0) {
        fputs(word, stdout);
        w->used = length;
        return;
    }
    if (w->used + 1 + length > w->width) {
        start_line(w);
        fputs(word, stdout);
        w->used += length;
        return;
    }
    printf(" %s", word);
    w->used += 1 + length;
}

int main(int argc, char **argv)
{
    struct writer w = {0, 0, 0};
    if (argc < 2)
        return 2;
    w.width = atoi(argv[1]);
    for (int i = 2; i < argc; i++)
        wrap(&w, argv[i]);
    putchar('\n');
    return 0;
}
