/*
 * what: a K&R style tokenizer for a small language; a lookahead is lost after numbers
 * cflags: -std=gnu89
 * stdin: "let x1 = 10 + y;\nif x1 >= 3 then print \"a b\" ; -- note\nz=4*5\n"
 * failure: output
 * expect-stdout: "kw let\nid x1\nop =\nnum 10\nop +\nid y\nop ;\nkw if\nid x1\nop >=\nnum 3\nkw then\nkw print\nstr a b\nop ;\nid z\nop =\nnum 4\nop *\nnum 5\n20 tokens, 3 lines\n"
 */
#include <stdio.h>
#include <ctype.h>
#include <string.h>

#define MAXTOK 64

#define T_EOF 0
#define T_ID 1
#define T_KW 2
#define T_NUM 3
#define T_STR 4
#define T_OP 5

char token[MAXTOK];
int toklen;
int lineno = 0;
int pushed = -1;
int longest = 0;

struct keyword {
    char *name;
    int code;
} keywords[] = {
    {"if", 1},
    {"let", 2},
    {"print", 3},
    {"then", 4},
    {0, 0}
};

int nextch()
{
    int c;
    if (pushed >= 0) {
        c = pushed;
        pushed = -1;
        return c;
    }
    c = getchar(); /* @cause */
    if (c == '\n')
        lineno++; /* @clean */
    return c;
}

unget(c)
int c;
{
    if (c != EOF)
        pushed = c;
}

put(c)
int c;
{
    if (toklen < MAXTOK - 1)
        token[toklen++] = c;
    token[toklen] = 0;
}

int is_keyword(s)
char *s;
{
    struct keyword *k;
    for (k = keywords; k->name; k++)
        if (strcmp(k->name, s) == 0)
            return k->code;
    return 0;
}

int skip_blank()
{
    int c;
    for (;;) {
        c = nextch();
        if (c == ' ' || c == '\t' || c == '\n')
            continue;
        if (c == '-') {
            int d = nextch();
            if (d == '-') {
                while ((c = nextch()) != '\n' && c != EOF)
                    ;
                continue;
            }
            unget(d);
        }
        return c;
    }
}

int number(c)
int c;
{
    while (isdigit(c)) {
        put(c);
        c = nextch();
    }
    if (isspace(c) || c == ';') /* @omission */
        unget(c);
    return T_NUM;
}

int word(c)
int c;
{
    while (isalnum(c) || c == '_') {
        put(c);
        c = nextch();
    }
    unget(c);
    return is_keyword(token) ? T_KW : T_ID;
}

int string()
{
    int c;
    while ((c = nextch()) != '"' && c != EOF)
        put(c);
    return T_STR;
}

int operator(c)
int c;
{
    int d;
    put(c);
    if (c == '<' || c == '>' || c == '=') {
        d = nextch();
        if (d == '=')
            put(d);
        else
            unget(d);
    }
    return T_OP;
}

int gettoken()
{
    int c;
    toklen = 0;
    token[0] = 0;
    c = skip_blank(); /* @cause */
    if (c == EOF)
        return T_EOF;
    if (isdigit(c))       /* @cause */
        return number(c); /* @cause */
    if (isalpha(c))
        return word(c);
    if (c == '"')
        return string();
    return operator(c);
}

char *names[] = {"eof", "id", "kw", "num", "str", "op"};

int main()
{
    int t, n = 0;
    while ((t = gettoken()) != T_EOF) { /* @cause */
        n++;
        if (toklen > longest)
            longest = toklen; /* @clean */
        printf("%s %s\n", names[t], token); /* @fail */
    }
    printf("%d tokens, %d lines\n", n, lineno);
    return longest > 60;
}
