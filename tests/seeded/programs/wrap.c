/* wrap WIDTH [left|right|center|full] [INDENT]
   Fills paragraphs from stdin. An empty line ends a paragraph. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXWORDS 64
#define MAXTEXT 2000

enum mode { LEFT, RIGHT, CENTER, FULL };

static const char *const mode_names[] = { "left", "right", "center", "full", NULL };

static struct {
    const char *word[MAXWORDS];
    int length[MAXWORDS];
    int count;
    int width; /* of the words with one space between them */
} row;

static int width = 40;
static enum mode mode = LEFT;
static int indent;
static int first_line; /* of a paragraph */
static int lines_out;

static void spaces(int n)
{
    while (n-- > 0)
        putchar(' ');
}

static int room(void)
{
    return first_line ? width - indent : width;
}

static void put_row(int last)
{
    int slack, gaps;

    if (row.count == 0)
        return;
    slack = room() - row.width;
    gaps = row.count - 1;
    if (first_line)
        spaces(indent);
    if (mode == RIGHT)
        spaces(slack);
    else if (mode == CENTER)
        spaces(slack / 2);
    for (int i = 0; i < row.count; i++) {
        if (i > 0) {
            int n = 1;
            if (mode == FULL && !last) {
                int extra = slack / gaps;
                slack -= extra;
                gaps--;
                n += extra;
            }
            spaces(n);
        }
        fwrite(row.word[i], 1, row.length[i], stdout);
    }
    putchar('\n');
    lines_out++;
    first_line = 0;
    row.count = 0;
    row.width = 0;
}

static void add_word(const char *word, int length)
{
    int needed = row.count > 0 ? row.width + 1 + length : length;

    if (row.count > 0 && (needed > room() || row.count == MAXWORDS)) {
        put_row(0);
        needed = length;
    }
    row.word[row.count] = word;
    row.length[row.count] = length;
    row.count++;
    row.width = needed;
}

static void paragraph(const char *text)
{
    const char *p = text;

    first_line = 1;
    while (*p) {
        const char *start;
        while (isspace((unsigned char)*p))
            p++;
        start = p;
        while (*p && !isspace((unsigned char)*p))
            p++;
        if (p > start)
            add_word(start, (int)(p - start));
    }
    put_row(1);
}

static int find_mode(const char *name)
{
    for (int i = 0; mode_names[i]; i++)
        if (strcmp(mode_names[i], name) == 0)
            return i;
    return -1;
}

static int blank(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return *s == '\0';
}

int main(int argc, char **argv)
{
    static char text[MAXTEXT];
    char line[200];
    int paragraphs = 0;

    if (argc > 1)
        width = atoi(argv[1]);
    if (argc > 2) {
        int m = find_mode(argv[2]);
        if (m < 0) {
            fprintf(stderr, "wrap: unknown mode %s\n", argv[2]);
            return 2;
        }
        mode = (enum mode)m;
    }
    if (argc > 3)
        indent = atoi(argv[3]);
    if (width < 1 || indent < 0 || indent >= width) {
        fprintf(stderr, "wrap: bad width or indent\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (!blank(line)) {
            if (strlen(text) + strlen(line) + 1 < sizeof text)
                strcat(text, line);
            continue;
        }
        if (text[0] != '\0') {
            paragraph(text);
            putchar('\n');
            paragraphs++;
            text[0] = '\0';
        }
    }
    if (text[0] != '\0') {
        paragraph(text);
        paragraphs++;
    }
    printf("[%d paragraphs, %d lines]\n", paragraphs, lines_out);
    return 0;
}
