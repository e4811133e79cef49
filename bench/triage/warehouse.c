/* A warehouse that is kept with commands on standard input. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 6
#define BINS 4
#define BIN_SIZE 50
#define LABEL 12
#define DEPTH 8
#define BULK 10

struct label {
    char text[LABEL];
    struct label *next;
};

struct item {
    char name[16];
    int quantity;
    int price;
    struct label *labels;
};

static struct item *items[MAX_ITEMS];
static int item_count;
static int bins[BINS];

/* ---- items ---- */

static struct item *find_item(const char *name)
{
    for (int k = 0; k < item_count; k++) {
        if (strcmp(items[k]->name, name) == 0)
            return items[k];
    }
    return NULL;
}

static void add_item(const char *name, int quantity, int price)
{
    struct item *made;
    if (find_item(name) != NULL) {
        printf("%s exists\n", name);
        return;
    }
    if (item_count >= MAX_ITEMS) { //@2
    //!2 if (item_count > MAX_ITEMS) {
        printf("no room for %s\n", name);
        return;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL)
        exit(3);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->quantity = quantity;
    made->price = price;
    items[item_count] = made;
    item_count++;
}

static void sell(const char *name, int amount)
{
    struct item *it = find_item(name);
    if (it == NULL) { //@3
        printf("no %s to sell\n", name); //@3
        return; //@3
    } //@3
    if (it->quantity < amount) {
        printf("only %d of %s\n", it->quantity, name);
        return;
    }
    it->quantity -= amount;
}

static void restock(const char *name, int amount)
{
    struct item *it = find_item(name);
    if (it == NULL)
        return;
    it->quantity += amount; //@6
    //!6 it->quantity = amount;
}

static void show(const char *name)
{
    struct item *it = find_item(name);
    if (it != NULL)
        printf("%s: %d at %d\n", it->name, it->quantity, it->price);
    else
        printf("%s is not known\n", name);
}

static int worth(void)
{
    int sum = 0;
    for (int k = 0; k < item_count; k++)
        sum += items[k]->quantity * items[k]->price;
    return sum;
}

static void average(void)
{
    int sum = 0;
    for (int k = 0; k < item_count; k++)
        sum += items[k]->price;
    if (item_count == 0) { //@4
        printf("nothing to average\n"); //@4
        return; //@4
    } //@4
    printf("average %d\n", sum / item_count);
}

static void cheapest(void)
{
    int low = 1 << 30; //@12
    //!12 int low = 1000;
    const char *which = "none";
    for (int k = 0; k < item_count; k++) {
        if (items[k]->price < low) {
            low = items[k]->price;
            which = items[k]->name;
        }
    }
    printf("cheapest: %s\n", which);
}

static int comes_before(const struct item *a, const struct item *b)
{
    if (a->price != b->price)
        return a->price < b->price;
    return strcmp(a->name, b->name) < 0; //@9
    //!9 return strcmp(a->name, b->name) > 0;
}

static void list_items(void)
{
    struct item *sorted[MAX_ITEMS];
    for (int k = 0; k < item_count; k++)
        sorted[k] = items[k];
    for (int k = 1; k < item_count; k++) {
        struct item *moving = sorted[k];
        int at = k;
        while (at > 0 && comes_before(moving, sorted[at - 1])) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = moving;
    }
    for (int k = 0; k < item_count; k++)
        printf("%d. %s %d\n", k + 1, sorted[k]->name, sorted[k]->price);
}

/* ---- labels ---- */

static void put_label(const char *name, const char *text)
{
    struct item *it = find_item(name);
    struct label *made;
    if (it == NULL)
        return;
    made = malloc(sizeof *made);
    if (made == NULL)
        exit(3);
    snprintf(made->text, sizeof made->text, "%s", text); //@1
    //!1 strcpy(made->text, text);
    made->next = it->labels;
    it->labels = made;
}

static void take_label(const char *name, const char *text)
{
    struct item *it = find_item(name);
    struct label *before = NULL, *at;
    if (it == NULL)
        return;
    for (at = it->labels; at != NULL; at = at->next) {
        if (strcmp(at->text, text) == 0)
            break;
        before = at;
    }
    if (at == NULL)
        return;
    if (before != NULL)
        before->next = at->next;
    else //@8
        it->labels = at->next; //@8
    free(at);
}

static void show_labels(const char *name)
{
    struct item *it = find_item(name);
    if (it == NULL)
        return;
    printf("%s:", name);
    for (struct label *at = it->labels; at != NULL; at = at->next)
        printf(" %s", at->text);
    printf("\n");
}

/* ---- bins ---- */

static int in_all_bins(void)
{
    int sum = 0;
    for (int k = 0; k < BINS; k++) {
        assert(bins[k] >= 0 && bins[k] <= BIN_SIZE);
        sum += bins[k];
    }
    return sum;
}

static void fill_bin(int bin, int amount)
{
    if (bin < 0 || bin >= BINS || amount < 0 || bins[bin] + amount > BIN_SIZE)
        return;
    bins[bin] += amount;
}

static void move_between(int from, int to, int amount)
{
    if (from < 0 || from >= BINS || to < 0 || to >= BINS || amount < 0)
        return;
    if (bins[from] < amount)
        return;
    if (bins[to] + amount > BIN_SIZE) //@10
        return; //@10
    bins[from] -= amount;
    bins[to] += amount;
}

/* ---- sums: postfix, as in `sum 3 4 + 5 *` ---- */

static int stack[DEPTH];
static int depth;

static int push(int value)
{
    if (depth >= DEPTH)
        return 0;
    stack[depth++] = value;
    return 1;
}

static int apply(char sign)
{
    int left, right;
    if (depth < 2) //@7
        return 0; //@7
    right = stack[--depth];
    left = stack[--depth];
    switch (sign) {
    case '+': return push(left + right);
    case '-': return push(left - right);
    case '*': return push(left * right);
    default: return 0;
    }
}

static void postfix(char *text)
{
    depth = 0;
    for (char *word = strtok(text, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        int done = isdigit((unsigned char)word[0]) ? push(atoi(word)) : apply(word[0]);
        if (!done) {
            printf("bad sum\n");
            return;
        }
    }
    if (depth == 1)
        printf("= %d\n", stack[0]);
    else
        printf("%d values left\n", depth);
}

/* ---- prices and dates ---- */

static int discounted(int quantity, int price)
{
    int sum = quantity * price;
    if (quantity >= BULK) //@5
    //!5 if (quantity > BULK)
        sum -= sum / 10;
    return sum;
}

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); //@11
    //!11 return year % 4 == 0;
}

static int days_in(int month, int year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static void delivery(int day, int month, int year, int wait)
{
    if (month < 1 || month > 12 || day < 1 || day > days_in(month, year) || wait < 0 || wait > 400) {
        printf("no such day\n");
        return;
    }
    day += wait;
    while (day > days_in(month, year)) {
        day -= days_in(month, year);
        month++;
        if (month > 12) {
            month = 1;
            year++;
        }
    }
    printf("delivered %d.%d.%d\n", day, month, year);
}

/* ---- commands ---- */

static void command(char *line)
{
    char name[64], text[64];
    int a, b, c, d;
    if (sscanf(line, "add %15s %d %d", name, &a, &b) == 3)
        add_item(name, a, b);
    else if (sscanf(line, "sell %15s %d", name, &a) == 2)
        sell(name, a);
    else if (sscanf(line, "restock %15s %d", name, &a) == 2)
        restock(name, a);
    else if (sscanf(line, "show %15s", name) == 1)
        show(name);
    else if (sscanf(line, "label %15s %63s", name, text) == 2)
        put_label(name, text);
    else if (sscanf(line, "unlabel %15s %63s", name, text) == 2)
        take_label(name, text);
    else if (sscanf(line, "tags %15s", name) == 1)
        show_labels(name);
    else if (sscanf(line, "fill %d %d", &a, &b) == 2)
        fill_bin(a, b);
    else if (sscanf(line, "move %d %d %d", &a, &b, &c) == 3)
        move_between(a, b, c);
    else if (sscanf(line, "order %d %d", &a, &b) == 2)
        printf("to pay: %d\n", discounted(a, b));
    else if (sscanf(line, "due %d %d %d %d", &a, &b, &c, &d) == 4)
        delivery(a, b, c, d);
    else if (strncmp(line, "sum ", 4) == 0)
        postfix(line + 4);
    else if (strcmp(line, "bins\n") == 0)
        printf("%d in bins\n", in_all_bins());
    else if (strcmp(line, "worth\n") == 0)
        printf("worth %d\n", worth());
    else if (strcmp(line, "average\n") == 0)
        average();
    else if (strcmp(line, "cheapest\n") == 0)
        cheapest();
    else if (strcmp(line, "list\n") == 0)
        list_items();
    else
        printf("what?\n");
}

int main(void)
{
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL)
        command(line);
    return 0;
}
