/*
 * what: text replacement with patterns (any, classes, closure) in the style of the software tools
 * cflags: -std=gnu89
 * args: "[a-c]x*y?" "<&>"
 * stdin: "axxyz q\nby cxyy\nnothing\n"
 * failure: output
 * expect-stdout: "<axxyz> q\n<by ><cxyy>\nnothing\n"
 */
#include <stdio.h>
#include <string.h>

#define MAXPAT 64
#define MAXSTR 128

#define LITCHAR 'c'
#define ANY '?'
#define CLASS '['
#define CLOSURE '*'
#define ENDPAT '$'

char pat[MAXPAT];
int npat;
int matches;

addpat(c)
int c;
{
    if (npat < MAXPAT - 1)
        pat[npat++] = c;
}

/* dodash - expand a-c into abc, returns how many were added */
int dodash(s, i)
char *s;
int *i;
{
    int n = 0, c;
    while (s[*i] && s[*i] != ']') {
        if (s[*i + 1] == '-' && s[*i + 2] && s[*i + 2] != ']') {
            for (c = s[*i]; c < s[*i + 2]; c++) { /* @cause */
                addpat(c);
                n++;
            }
            *i += 3;
        } else {
            addpat(s[*i]);
            n++;
            *i += 1;
        }
    }
    return n;
}

int patsize(n)
int n;
{
    switch (pat[n]) {
    case LITCHAR:
        return 2;
    case ANY:
        return 1;
    case CLASS:
        return pat[n + 1] + 2;
    case CLOSURE:
        return 1;
    }
    return 1;
}

int makepat(arg)
char *arg;
{
    int i = 0, last = -1, at, k, size;

    npat = 0;
    while (arg[i]) {
        at = npat;
        if (arg[i] == '?') {
            addpat(ANY);
            i++;
        } else if (arg[i] == '[') {
            int where;
            i++;
            addpat(CLASS);
            where = npat;
            addpat(0);
            pat[where] = dodash(arg, &i); /* @cause */
            if (arg[i] == ']')
                i++;
        } else if (arg[i] == '*' && last >= 0) {
            size = npat - last;
            addpat(0);
            for (k = npat - 1; k > last; k--)
                pat[k] = pat[k - 1];
            pat[last] = CLOSURE;
            at = -1;
            i++;
            (void)size;
        } else {
            addpat(LITCHAR);
            addpat(arg[i]);
            i++;
        }
        last = at;
    }
    addpat(ENDPAT);
    return npat;
}

int inclass(c, n)
int c, n;
{
    int k;
    for (k = 1; k <= pat[n]; k++) /* @cause */
        if (pat[n + k] == c)      /* @cause */
            return 1;
    return 0; /* @cause */
}

/* omatch - match one pattern element at s, returns consumed length or -1 */
int omatch(s, n)
char *s;
int n;
{
    if (*s == 0 || *s == '\n')
        return -1;
    switch (pat[n]) {
    case LITCHAR:
        return *s == pat[n + 1] ? 1 : -1;
    case ANY:
        return 1;
    case CLASS:
        return inclass(*s, n + 1) ? 1 : -1; /* @cause */
    }
    return -1;
}

/* amatch - match the pattern from element n at s, returns the end or 0 */
char *amatch(s, n)
char *s;
int n;
{
    char *t, *end;
    int k;

    while (pat[n] != ENDPAT) {
        if (pat[n] == CLOSURE) {
            n++;
            t = s;
            while ((k = omatch(t, n)) >= 0)
                t += k;
            for (; t >= s; t--) {
                end = amatch(t, n + patsize(n));
                if (end)
                    return end;
            }
            return 0;
        }
        k = omatch(s, n); /* @cause */
        if (k < 0)        /* @cause */
            return 0;
        s += k;
        n += patsize(n);
    }
    return s;
}

putsub(from, to, sub)
char *from, *to, *sub;
{
    char *p;
    for (; *sub; sub++)
        if (*sub == '&')
            for (p = from; p < to; p++)
                putchar(*p);
        else
            putchar(*sub);
}

change(line, sub)
char *line, *sub;
{
    char *s = line, *end;
    while (*s) {
        end = amatch(s, 0); /* @cause */
        if (end && end > s) { /* @cause */
            matches++; /* @clean */
            putsub(s, end, sub);
            s = end;
        } else {
            putchar(*s); /* @fail */
            s++;
        }
    }
}

int main(argc, argv)
int argc;
char **argv;
{
    char line[MAXSTR];
    int lines = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: replace from to\n");
        return 2;
    }
    makepat(argv[1]); /* @cause */
    while (fgets(line, MAXSTR, stdin)) {
        lines++; /* @clean */
        change(line, argv[2]);
    }
    return lines > 90;
}
