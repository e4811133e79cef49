/* rle.c - run length coding of text
 *   rle -e < text    runs of 3 or more become \Nc (N a digit count 3..9, then the character); \ itself is \\
 *   rle -d < coded   the way back
 *   rle -t < text    codes, decodes, compares, and prints how much was saved
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#define ESC '\\'
#define MIN_RUN 3
#define MAX_RUN 9

struct buffer {
    char *data;
    size_t length;
    size_t room;
};

static void append(struct buffer *b, int c)
{
    if (b->length == b->room) {
        size_t room = b->room ? b->room * 2 : 16;
        char *bigger = realloc(b->data, room);
        if (!bigger)
            abort();
        b->data = bigger;
        b->room = room;
    }
    b->data[b->length++] = (char)c;
}

static void put_char(struct buffer *out, int c)
{
    if (c == ESC)
        append(out, ESC);
    append(out, c);
}

static void put_run(struct buffer *out, int c, int n)
{
    assert(n >= 1 && n <= MAX_RUN);
    if (n >= MIN_RUN) {
        append(out, ESC);
        append(out, '0' + n);
        append(out, c);
    } else {
        while (n-- > 0)
            put_char(out, c);
    }
}

static void encode(const struct buffer *in, struct buffer *out)
{
    size_t i = 0;

    while (i < in->length) {
        int c = in->data[i];
        int n = 1;
        while (i + n < in->length && in->data[i + n] == c && n < MAX_RUN)
            n++;
        put_run(out, c, n);
        i += n;
    }
}

/* 0, or -1 if the text is not properly coded */
static int decode(const struct buffer *in, struct buffer *out)
{
    size_t i = 0;

    while (i < in->length) {
        char c = in->data[i++];
        if (c != ESC) {
            append(out, c);
            continue;
        }
        if (i == in->length)
            return -1;
        c = in->data[i++];
        if (c == ESC) {
            append(out, ESC);
        } else if (c >= '0' + MIN_RUN && c <= '0' + MAX_RUN && i < in->length) {
            int n = c - '0';
            for (int k = 0; k < n; k++)
                append(out, in->data[i]);
            i++;
        } else {
            return -1;
        }
    }
    return 0;
}

static int same(const struct buffer *a, const struct buffer *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static void write_out(const struct buffer *b)
{
    for (size_t i = 0; i < b->length; i++)
        putchar(b->data[i]);
}

int main(int argc, char **argv)
{
    struct buffer in = { 0 }, coded = { 0 }, back = { 0 };
    int c, status = 0;

    if (argc != 2 || argv[1][0] != '-') {
        fprintf(stderr, "usage: rle -e|-d|-t\n");
        return 2;
    }
    while ((c = getchar()) != EOF)
        append(&in, c);

    switch (argv[1][1]) {
    case 'e':
        encode(&in, &coded);
        write_out(&coded);
        break;
    case 'd':
        if (decode(&in, &back) < 0) {
            printf("not a coded text\n");
            status = 1;
        } else {
            write_out(&back);
        }
        break;
    case 't':
        encode(&in, &coded);
        status = decode(&coded, &back);
        assert(status == 0);
        assert(same(&in, &back));
        printf("%zu -> %zu, saved %ld\n", in.length, coded.length, (long)in.length - (long)coded.length);
        break;
    default:
        status = 2;
    }
    free(in.data);
    free(coded.data);
    free(back.data);
    return status;
}
