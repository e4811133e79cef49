/* A small language: lines such as `let x = 3 * (y + 2)`, `print x`, `word a = "text"`, `join a b`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, NAME, SUM, DIFFERENCE, PRODUCT, QUOTIENT, REST, POWER, NEGATION };

struct node {
    enum kind kind;
    long number;
    char name[8];
    struct node *left, *right;
};

struct variable {
    char name[8];
    long number;
    char *text;
    struct variable *next;
};

#define BUCKETS 5
#define HISTORY 4
#define USUAL 24

static struct variable *table[BUCKETS];
static const char *at;
static int is_wrong;
static long history[HISTORY];
static int seen;

static unsigned hash(const char *name)
{
    unsigned h = 0;
    while (*name)
        h = h * 31 + (unsigned char)*name++;
    return h % BUCKETS;
}

static struct variable *lookup(const char *name)
{
    struct variable *v = table[hash(name)];
    while (v != NULL && strcmp(v->name, name) != 0)
        v = v->next;
    return v;
}

static struct variable *declare(const char *name)
{
    struct variable *v = lookup(name);
    if (v != NULL)
        return v;
    v = calloc(1, sizeof *v);
    if (v == NULL)
        exit(3);
    snprintf(v->name, sizeof v->name, "%s", name);
    v->next = table[hash(name)]; //@1
    table[hash(name)] = v;
    return v;
}

static void forget(const char *name)
{
    struct variable **link = &table[hash(name)];
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    if (*link != NULL) {
        struct variable *gone = *link;
        *link = gone->next;
        free(gone->text);
        gone->text = NULL;
        free(gone);
    } else {
        printf("%s was not there\n", name);
    }
}

/* ---- reading expressions ---- */

static struct node *make(enum kind kind, struct node *left, struct node *right)
{
    struct node *n = calloc(1, sizeof *n);
    if (n == NULL)
        exit(3);
    n->kind = kind;
    n->left = left;
    n->right = right;
    return n;
}

static void skip_blanks(void)
{
    while (*at == ' ')
        at++;
}

static struct node *read_sum(void);

static struct node *read_atom(void)
{
    skip_blanks();
    if (isdigit((unsigned char)*at)) {
        struct node *n = make(NUMBER, NULL, NULL);
        while (isdigit((unsigned char)*at))
            n->number = 10 * n->number + (*at++ - '0');
        return n;
    }
    if (isalpha((unsigned char)*at)) {
        struct node *n = make(NAME, NULL, NULL);
        size_t used = 0;
        while (isalnum((unsigned char)*at)) {
            if (used + 1 < sizeof n->name) //@2
                n->name[used++] = *at;
            at++;
        }
        n->name[used] = '\0';
        return n;
    }
    if (*at == '-') {
        at++;
        return make(NEGATION, read_atom(), NULL);
    }
    if (*at == '(') {
        struct node *n;
        at++;
        n = read_sum();
        skip_blanks();
        if (*at == ')')
            at++;
        else
            is_wrong = 1;
        return n;
    }
    is_wrong = 1;
    return make(NUMBER, NULL, NULL); //@3
    //!3 return NULL;
}

static struct node *read_power(void)
{
    struct node *n = read_atom();
    skip_blanks();
    if (*at == '^') {
        at++;
        n = make(POWER, n, read_power()); //@4
        //!4 n = make(POWER, n, read_atom());
    }
    return n;
}

static struct node *read_product(void)
{
    struct node *n = read_power();
    for (;;) {
        skip_blanks();
        if (*at == '*') {
            at++;
            n = make(PRODUCT, n, read_power());
        } else if (*at == '/') {
            at++;
            n = make(QUOTIENT, n, read_power());
        } else if (*at == '%') {
            at++;
            n = make(REST, n, read_power());
        } else {
            return n;
        }
    }
}

static struct node *read_sum(void)
{
    struct node *n = read_product();
    for (;;) {
        skip_blanks();
        if (*at == '+') {
            at++;
            n = make(SUM, n, read_product());
        } else if (*at == '-') {
            at++;
            n = make(DIFFERENCE, n, read_product()); //@5
            //!5 n = make(DIFFERENCE, n, read_sum());
        } else {
            return n;
        }
    }
}

/* ---- computing them ---- */

static long power(long base, long exponent)
{
    long result = 1;
    for (long k = 0; k < exponent; k++)
        result *= base;
    return result;
}

static long value_of(const struct node *n)
{
    long left, right;
    struct variable *v;
    switch (n->kind) {
    case NUMBER: return n->number;
    case NAME:
        v = lookup(n->name);
        if (v == NULL) { //@6
            is_wrong = 1; //@6
            return 0; //@6
        } //@6
        return v->number;
    case NEGATION: return -value_of(n->left);
    default: break;
    }
    left = value_of(n->left);
    right = value_of(n->right);
    switch (n->kind) {
    case SUM: return left + right;
    case DIFFERENCE: return left - right;
    case PRODUCT: return left * right;
    case POWER: return power(left, right);
    case QUOTIENT:
        if (right == 0) {
            is_wrong = 1;
            return 0;
        }
        return left / right;
    case REST:
        if (right == 0) { //@7
            is_wrong = 1; //@7
            return 0; //@7
        } //@7
        return left % right;
    default: return 0;
    }
}

static void release(struct node *n)
{
    if (n == NULL)
        return;
    release(n->left);
    release(n->right);
    free(n);
}

static long evaluate(const char *text)
{
    struct node *n;
    long value = 0;
    at = text;
    is_wrong = 0;
    n = read_sum();
    skip_blanks();
    if (*at != '\0' && *at != '\n')
        is_wrong = 1;
    if (!is_wrong || *at == '\0' || *at == '\n')
        value = value_of(n);
    release(n);
    return value;
}

static void remember(long value)
{
    if (seen >= HISTORY) { //@8
        memmove(history, history + 1, (HISTORY - 1) * sizeof *history); //@8
        seen = HISTORY - 1; //@8
    } //@8
    history[seen++] = value;
}

/* ---- statements ---- */

static void let(const char *name, const char *text)
{
    long value = evaluate(text);
    if (is_wrong) {
        printf("? %s", text);
        return;
    }
    declare(name)->number = value;
}

static void print(const char *text)
{
    long value = evaluate(text);
    if (is_wrong) {
        printf("? %s", text);
        return;
    }
    remember(value);
    printf("%ld\n", value);
}

static void word(const char *name, const char *text)
{
    struct variable *v = declare(name);
    free(v->text);
    v->text = malloc(strlen(text) + 1); //@9
    //!9 v->text = malloc(USUAL);
    if (v->text == NULL)
        exit(3);
    strcpy(v->text, text);
}

static void join(const char *to, const char *from)
{
    struct variable *a = lookup(to), *b = lookup(from);
    char *both;
    if (a == NULL || b == NULL || a->text == NULL || b->text == NULL) { //@10
    //!10 if (a == NULL || b == NULL || a->text == NULL) {
        printf("cannot join\n");
        return;
    }
    both = malloc(strlen(a->text) + strlen(b->text) + 1);
    if (both == NULL)
        exit(3);
    strcpy(both, a->text);
    strcat(both, b->text);
    free(a->text);
    a->text = both;
}

static void backwards(const char *name)
{
    struct variable *v = lookup(name);
    if (v == NULL || v->text == NULL)
        return;
    for (size_t low = 0, high = strlen(v->text); low + 1 < high; low++, high--) { //@11
    //!11 for (size_t low = 0, high = strlen(v->text); low + 2 < high; low++, high--) {
        char kept = v->text[low];
        v->text[low] = v->text[high - 1];
        v->text[high - 1] = kept;
    }
}

static void count_letters(const char *name)
{
    struct variable *v = lookup(name);
    int upper = 0, lower = 0;
    if (v == NULL || v->text == NULL)
        return;
    for (const char *c = v->text; *c; c++) {
        upper += isupper((unsigned char)*c) != 0;
        lower += *c >= 'a' && *c <= 'z'; //@12
        //!12 lower += *c >= 'a' && *c < 'z';
    }
    printf("%d %d\n", upper, lower);
}

static void execute(const char *line)
{
    char name[8], other[8], text[64];
    int from = 0;
    if (sscanf(line, "let %7[a-z] = %n", name, &from) == 1 && from > 0)
        let(name, line + from);
    else if (strncmp(line, "print ", 6) == 0)
        print(line + 6);
    else if (sscanf(line, "word %7[a-z] = \"%63[^\"]\"", name, text) == 2)
        word(name, text);
    else if (sscanf(line, "join %7[a-z] %7[a-z]", name, other) == 2)
        join(name, other);
    else if (sscanf(line, "turn %7[a-z]", name) == 1)
        backwards(name);
    else if (sscanf(line, "letters %7[a-z]", name) == 1)
        count_letters(name);
    else if (sscanf(line, "forget %7[a-z]", name) == 1)
        forget(name);
    else if (sscanf(line, "say %7[a-z]", name) == 1)
        printf("%s\n", lookup(name) && lookup(name)->text ? lookup(name)->text : "nothing");
    else
        printf("? %s", line);
}

int main(void)
{
    char line[160];
    while (fgets(line, sizeof line, stdin) != NULL)
        execute(line);
    for (int k = 0; k < seen; k++)
        printf("[%ld]", history[k]);
    printf("\n");
    return 0;
}
