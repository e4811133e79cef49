/*
 * csvstat: statistics of the numeric columns of a CSV file on stdin.
 * The first line has the names. Empty fields are missing values.
 *   csvstat [SEPARATOR]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 8
#define MAX_ROWS    100
#define LINE_SIZE   256

typedef struct {
    char   name[24];
    double value[MAX_ROWS];
    int    count;
    int    missing;
    int    bad;
} Column;

static Column columns[MAX_COLUMNS];
static int ncolumns;

static char *trim(char *s)
{
    char *end;

    while (*s == ' ' || *s == '\t')
        s++;
    end = s + strlen(s);
    while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return s;
}

/* Cuts the line into fields; returns how many there are. */
static int split(char *line, char sep, char *field[], int max)
{
    int n = 0;
    char *start = line;

    for (char *p = line;; p++) {
        if (*p == sep || *p == '\0') {
            int last = *p == '\0';
            *p = '\0';
            if (n < max)
                field[n++] = trim(start);
            if (last)
                return n;
            start = p + 1;
        }
    }
}

static void add_value(Column *c, const char *text)
{
    char *end;
    double v;

    if (*text == '\0') {
        c->missing++;
        return;
    }
    v = strtod(text, &end);
    if (*end != '\0') {
        c->bad++;
        return;
    }
    if (c->count < MAX_ROWS)
        c->value[c->count++] = v;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean(const Column *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++)
        sum += c->value[i];
    return sum / c->count;
}

static double deviation(const Column *c)
{
    double m = mean(c), squares = 0.0;

    if (c->count < 2)
        return 0.0;
    for (int i = 0; i < c->count; i++) {
        double d = c->value[i] - m;
        squares += d * d;
    }
    return sqrt(squares / (c->count - 1));
}

static double quantile(const Column *c, double q)
{
    double position = q * (c->count - 1);
    int below = (int)position;
    double part = position - below;

    if (below + 1 >= c->count)
        return c->value[c->count - 1];
    return c->value[below] * (1.0 - part) + c->value[below + 1] * part;
}

static void report(Column *c)
{
    printf("%-10s", c->name);
    if (c->count == 0) {
        printf(" no numbers\n");
        return;
    }
    qsort(c->value, c->count, sizeof c->value[0], compare);
    printf(" n=%d mean=%.3f sd=%.3f min=%g q1=%g median=%g q3=%g max=%g",
           c->count, mean(c), deviation(c), c->value[0],
           quantile(c, 0.25), quantile(c, 0.5), quantile(c, 0.75), c->value[c->count - 1]);
    if (c->missing > 0)
        printf(" missing=%d", c->missing);
    if (c->bad > 0)
        printf(" bad=%d", c->bad);
    putchar('\n');
}

int main(int argc, char **argv)
{
    char line[LINE_SIZE], *field[MAX_COLUMNS];
    char sep = argc > 1 ? argv[1][0] : ',';
    int rows = 0;

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '\0')
            continue;
        int n = split(line, sep, field, MAX_COLUMNS);
        if (rows++ == 0) {
            ncolumns = n;
            for (int i = 0; i < n; i++)
                snprintf(columns[i].name, sizeof columns[i].name, "%s", field[i]);
            continue;
        }
        for (int i = 0; i < ncolumns; i++)
            add_value(&columns[i], i < n ? field[i] : "");
    }
    if (rows == 0) {
        fprintf(stderr, "no input\n");
        return 1;
    }
    printf("%d rows, %d columns\n", rows - 1, ncolumns);
    for (int i = 0; i < ncolumns; i++)
        report(&columns[i]);
    return 0;
}
