/* uncomment: copies C source from stdin without its comments and counts lines */

#include <stdio.h>
#include <string.h>

typedef enum {
    CODE,
    SLASH,      /* seen / in code */
    BLOCK,
    BLOCK_STAR, /* seen * in a block comment */
    LINE,
    STRING,
    STRING_ESC,
    CHAR,
    CHAR_ESC
} State;

typedef struct {
    int lines;
    int code_lines;
    int comment_lines;
    int comments;
    int has_code;    /* on the current line */
    int has_comment;
} Counts;

static int quiet;

static void emit(Counts *k, int c)
{
    if (c != ' ' && c != '\t' && c != '\n')
        k->has_code = 1;
    if (!quiet)
        putchar(c);
}

static void end_of_line(Counts *k)
{
    k->lines++;
    if (k->has_code)
        k->code_lines++;
    if (k->has_comment)
        k->comment_lines++;
    k->has_code = 0;
    k->has_comment = 0;
}

static State in_code(Counts *k, int c)
{
    switch (c) {
    case '/':
        return SLASH;
    case '"':
        emit(k, c);
        return STRING;
    case '\'':
        emit(k, c);
        return CHAR;
    default:
        emit(k, c);
        return CODE;
    }
}

static State after_slash(Counts *k, int c)
{
    if (c == '*') {
        k->comments++;
        k->has_comment = 1;
        return BLOCK;
    }
    if (c == '/') {
        k->comments++;
        k->has_comment = 1;
        return LINE;
    }
    emit(k, '/');
    return in_code(k, c);
}

static State quoted(Counts *k, int c, State here, State escape, int quote)
{
    emit(k, c);
    if (c == '\\')
        return escape;
    if (c == quote || c == '\n')
        return CODE;
    return here;
}

static State step(State s, Counts *k, int c)
{
    switch (s) {
    case CODE:
        return in_code(k, c);
    case SLASH:
        return after_slash(k, c);
    case BLOCK:
        k->has_comment = 1;
        if (c == '\n')
            emit(k, c);
        return c == '*' ? BLOCK_STAR : BLOCK;
    case BLOCK_STAR:
        if (c == '/') {
            emit(k, ' ');
            return CODE;
        }
        if (c == '\n')
            emit(k, c);
        return c == '*' ? BLOCK_STAR : BLOCK;
    case LINE:
        if (c != '\n')
            return LINE;
        emit(k, c);
        return CODE;
    case STRING:
        return quoted(k, c, STRING, STRING_ESC, '"');
    case STRING_ESC:
        emit(k, c);
        return STRING;
    case CHAR:
        return quoted(k, c, CHAR, CHAR_ESC, '\'');
    case CHAR_ESC:
        emit(k, c);
        return CHAR;
    }
    return s;
}

int main(int argc, char **argv)
{
    Counts k;
    State s = CODE;
    int c, last = '\n';

    memset(&k, 0, sizeof k);
    if (argc > 1 && strcmp(argv[1], "-q") == 0)
        quiet = 1;
    while ((c = getchar()) != EOF) {
        s = step(s, &k, c);
        if (c == '\n')
            end_of_line(&k);
        last = c;
    }
    if (s == SLASH)
        emit(&k, '/');
    if (last != '\n') {
        if (!quiet)
            putchar('\n');
        end_of_line(&k);
    }
    printf("-- %d lines, %d code, %d comment, %d comments\n", k.lines, k.code_lines, k.comment_lines, k.comments);
    if (s == BLOCK || s == BLOCK_STAR) {
        printf("-- unterminated comment\n");
        return 1;
    }
    if (s == STRING || s == STRING_ESC || s == CHAR || s == CHAR_ESC) {
        printf("-- unterminated literal\n");
        return 1;
    }
    return 0;
}
