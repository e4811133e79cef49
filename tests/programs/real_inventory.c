/*
 * what: inventory with records from standard input, sorting, reports and totals; a price in cents is cut
 * stdin: "add bolt 100 0.35\nadd nut 250 0.29\nadd gear 12 14.50\nsell bolt 30\nsell gear 2\nadd bolt 5 0.40\nreport\nvalue\n"
 * failure: output
 * expect-stdout: "bolt        75 @   0.40\ngear        10 @  14.50\nnut        250 @   0.29\nvalue 247.50\n"
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 50

struct item {
    char name[16];
    int count;
    long cents;
    struct {
        int in, out;
    } moves;
};

struct inventory {
    struct item items[MAX_ITEMS];
    int n;
    int errors;
    long transactions;
};

static struct item *lookup(struct inventory *inv, const char *name)
{
    int i;
    for (i = 0; i < inv->n; i++)
        if (strcmp(inv->items[i].name, name) == 0)
            return &inv->items[i];
    return NULL;
}

/* "14.50" gives 1450 */
static long parse_money(const char *s)
{
    long whole = 0, part = 0;
    int digits = 0;

    while (isdigit((unsigned char)*s))
        whole = whole * 10 + (*s++ - '0'); /* @cause */
    if (*s == '.') {
        s++;
        while (isdigit((unsigned char)*s) && digits < 2) {
            part = part * 10 + (*s++ - '0'); /* @cause */
            digits++;
        }
    }
    if (digits == 1)
        part *= 10;
    if (part % 10 == 9) /* @cause */
        part--; /* @cause */
    return whole * 100 + part; /* @cause */
}

static void money(char *out, size_t room, long cents)
{
    snprintf(out, room, "%ld.%02ld", cents / 100, cents % 100); /* @cause */
}

static int cmd_add(struct inventory *inv, int argc, char **argv)
{
    struct item *it;
    if (argc != 4)
        return -1;
    it = lookup(inv, argv[1]);
    if (!it) {
        if (inv->n == MAX_ITEMS)
            return -1;
        it = &inv->items[inv->n++];
        memset(it, 0, sizeof *it);
        strncpy(it->name, argv[1], sizeof it->name - 1);
    }
    it->count += atoi(argv[2]);
    it->cents = parse_money(argv[3]); /* @cause */
    it->moves.in++;
    return 0;
}

static int cmd_sell(struct inventory *inv, int argc, char **argv)
{
    struct item *it;
    int n;
    if (argc != 3 || !(it = lookup(inv, argv[1])))
        return -1;
    n = atoi(argv[2]);
    if (n > it->count)
        return -1;
    it->count -= n;
    it->moves.out++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct item *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int cmd_report(struct inventory *inv, int argc, char **argv)
{
    struct item *sorted[MAX_ITEMS];
    char price[24];
    int i;

    (void)argc;
    (void)argv;
    for (i = 0; i < inv->n; i++)
        sorted[i] = &inv->items[i]; /* @cause */
    qsort(sorted, inv->n, sizeof sorted[0], by_name); /* @cause */
    for (i = 0; i < inv->n; i++) {
        money(price, sizeof price, sorted[i]->cents); /* @cause */
        printf("%-8s %5d @ %6s\n", sorted[i]->name, sorted[i]->count, price); /* @fail */
    }
    return 0;
}

static int cmd_value(struct inventory *inv, int argc, char **argv)
{
    long total = 0;
    char text[24];
    int i;

    (void)argc;
    (void)argv;
    for (i = 0; i < inv->n; i++)
        total += inv->items[i].count * inv->items[i].cents;
    money(text, sizeof text, total);
    printf("value %s\n", text);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct inventory *, int, char **);
} commands[] = {
    {"add", cmd_add},
    {"sell", cmd_sell},
    {"report", cmd_report},
    {"value", cmd_value},
};

static int split(char *line, char **argv, int max)
{
    int n = 0;
    char *tok = strtok(line, " \t\n");
    while (tok && n < max) {
        argv[n++] = tok;
        tok = strtok(NULL, " \t\n");
    }
    return n;
}

static void execute(struct inventory *inv, char *line)
{
    char *argv[8];
    int argc = split(line, argv, 8);
    size_t i;

    inv->transactions += argc; /* @clean */
    if (argc == 0)
        return;
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, argv[0]) == 0) {
            if (commands[i].run(inv, argc, argv) != 0) /* @cause */
                inv->errors++;
            return;
        }
    inv->errors++;
}

int main(void)
{
    static struct inventory inv;
    char line[128];
    int lines = 0;

    while (fgets(line, sizeof line, stdin)) { /* @cause */
        lines++; /* @clean */
        execute(&inv, line); /* @cause */
    }
    return inv.errors > 0 || lines > 90;
}
