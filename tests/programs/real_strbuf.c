/*
 * what: a string builder with formatting, used for a table; the reserve check forgets the terminator
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct strbuf {
    char *data;
    size_t len, room;
};

struct column {
    const char *title;
    int width;
    enum { LEFT, RIGHT } align;
};

static int appends;

static void sb_init(struct strbuf *b)
{
    b->room = 16;
    b->len = 0;
    b->data = malloc(b->room); /* @cause */
    b->data[0] = 0;
}

static void sb_reserve(struct strbuf *b, size_t more)
{
    while (b->len + more > b->room) { /* @omission */
        b->room *= 2;
        b->data = realloc(b->data, b->room);
    }
}

static void sb_putc(struct strbuf *b, char c)
{
    sb_reserve(b, 1);
    b->data[b->len++] = c; /* @cause */
    b->data[b->len] = '\0'; /* @fail */
    appends++;
}

static void sb_puts(struct strbuf *b, const char *s)
{
    size_t n = strlen(s);
    sb_reserve(b, n + 1);
    memcpy(b->data + b->len, s, n + 1);
    b->len += n; /* @cause */
    appends++; /* @clean */
}

static void sb_printf(struct strbuf *b, const char *fmt, ...)
{
    char small[32];
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < (int)sizeof small) {
        sb_puts(b, small); /* @cause */
    } else {
        sb_reserve(b, n + 1);
        vsnprintf(b->data + b->len, n + 1, fmt, again);
        b->len += n;
    }
    va_end(again);
}

static void sb_fill(struct strbuf *b, char c, int n)
{
    while (n-- > 0) /* @cause */
        sb_putc(b, c); /* @cause */
}

static void sb_free(struct strbuf *b)
{
    free(b->data);
    b->data = NULL;
    b->len = b->room = 0;
}

static void cell(struct strbuf *b, const struct column *c, const char *text)
{
    int pad = c->width - (int)strlen(text); /* @cause */
    if (c->align == RIGHT)
        sb_fill(b, ' ', pad);
    sb_puts(b, text);
    if (c->align == LEFT)
        sb_fill(b, ' ', pad); /* @cause */
    sb_putc(b, '|');
}

static void row(struct strbuf *b, const struct column *c, int n, const char *const *texts)
{
    int i;
    for (i = 0; i < n; i++)
        cell(b, &c[i], texts[i]); /* @cause */
    sb_putc(b, '\n');
}

static const struct column columns[] = {
    {"name", 8, LEFT},
    {"qty", 5, RIGHT},
    {"note", 10, LEFT},
};

int main(void)
{
    static const char *const first[] = {"bolt", "12", "steel"};
    static const char *const second[] = {"nut", "7", "brass, m4"};
    struct strbuf b;
    int i, widths = 0;

    sb_init(&b); /* @cause */
    for (i = 0; i < 3; i++)
        widths += columns[i].width; /* @clean */
    sb_printf(&b, "%d cols\n", 3); /* @cause */
    row(&b, columns, 3, first); /* @cause */
    row(&b, columns, 3, second);
    sb_printf(&b, "total width %d and a longer remark\n", widths);
    printf("%s%d\n", b.len > 10 ? "built " : "", appends > 0);
    sb_free(&b);
    return 0;
}
