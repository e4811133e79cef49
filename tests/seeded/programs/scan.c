/* scan: a table-driven scanner for numbers and names.
 * Prints each token of stdin with its class, then how many there were of each. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum class { LETTER, DIGIT, ZERO, DOT, SIGN, SPACE, OTHER, NCLASS };
enum state { START, NAME, NUM, LEAD0, FRAC0, FRAC, EXP0, EXPS, EXP, HEX0, HEX, NSTATE };

#define X (-1) /* no move: the token ends here */

static const signed char move[NSTATE][NCLASS] = {
    /*           LETTER DIGIT ZERO   DOT    SIGN  SPACE OTHER */
    [START] = { NAME,  NUM,  LEAD0, FRAC0, X,    X,    X },
    [NAME]  = { NAME,  NAME, NAME,  X,     X,    X,    X },
    [NUM]   = { X,     NUM,  NUM,   FRAC,  X,    X,    X },
    [LEAD0] = { X,     X,    X,     FRAC,  X,    X,    X },
    [FRAC0] = { X,     FRAC, FRAC,  X,     X,    X,    X },
    [FRAC]  = { X,     FRAC, FRAC,  X,     X,    X,    X },
    [EXP0]  = { X,     EXP,  EXP,   X,     EXPS, X,    X },
    [EXPS]  = { X,     EXP,  EXP,   X,     X,    X,    X },
    [EXP]   = { X,     EXP,  EXP,   X,     X,    X,    X },
    [HEX0]  = { HEX,   HEX,  HEX,   X,     X,    X,    X },
    [HEX]   = { HEX,   HEX,  HEX,   X,     X,    X,    X },
};

static const char *const kind[NSTATE] = {
    [NAME] = "name", [NUM] = "integer", [LEAD0] = "integer", [FRAC] = "real", [EXP] = "real", [HEX] = "hex",
};

struct total {
    const char *kind;
    int count;
    double sum;
};

static struct total totals[4] = { { "name", 0, 0 }, { "integer", 0, 0 }, { "real", 0, 0 }, { "hex", 0, 0 } };

static enum class class_of(int c)
{
    if (c == '0')
        return ZERO;
    if (isdigit(c))
        return DIGIT;
    if (isalpha(c) || c == '_')
        return LETTER;
    if (isspace(c))
        return SPACE;
    if (c == '.')
        return DOT;
    return c == '+' || c == '-' ? SIGN : OTHER;
}

/* Some letters mean something inside numbers. */
static int next_state(int s, int c)
{
    if ((s == NUM || s == LEAD0 || s == FRAC) && (c == 'e' || c == 'E'))
        return EXP0;
    if (s == LEAD0 && (c == 'x' || c == 'X'))
        return HEX0;
    if ((s == HEX || s == HEX0) && !isxdigit(c))
        return X;
    return move[s][class_of(c)];
}

/* The longest token at p; its end is stored, its state returned. */
static int longest(const char *p, const char **end)
{
    int s = START, best = START;

    *end = p;
    while (*p != '\0') {
        s = next_state(s, (unsigned char)*p);
        if (s == X)
            break;
        p++;
        if (kind[s] != NULL) {
            best = s;
            *end = p;
        }
    }
    return best;
}

static double number(const char *text, int s)
{
    if (s == NAME)
        return 0;
    if (s == HEX)
        return (double)strtol(text, NULL, 16);
    return strtod(text, NULL);
}

static void tally(const char *what, double value)
{
    for (int i = 0; i < 4; i++) {
        if (strcmp(totals[i].kind, what) == 0) {
            totals[i].count++;
            totals[i].sum += value;
        }
    }
}

static int scan_line(const char *p)
{
    int unknown = 0;

    while (*p != '\0') {
        const char *end;
        if (isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        int s = longest(p, &end);
        if (s == START) {
            printf("%c unknown\n", *p++);
            unknown++;
            continue;
        }
        char text[32];
        int length = (int)(end - p);
        snprintf(text, sizeof text, "%.*s", length, p);
        printf("%s %s\n", text, kind[s]);
        tally(kind[s], number(text, s));
        p = end;
    }
    return unknown;
}

int main(void)
{
    char line[120];
    int unknown = 0;

    while (fgets(line, sizeof line, stdin))
        unknown += scan_line(line);
    for (int i = 0; i < 4; i++)
        if (totals[i].count > 0)
            printf("%d x %s, sum %g\n", totals[i].count, totals[i].kind, totals[i].sum);
    return unknown > 0;
}
