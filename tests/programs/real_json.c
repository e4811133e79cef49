/*
 * what: a JSON-like parser into a tree with a path query; an empty array gives NULL that is used later
 * args: items.0.size
 * stdin: "{\"name\": \"box\", \"items\": [], \"n\": [1, -2.5, true, null, {\"k\": \"v\\n\"}]}"
 * failure: signal
 * signal: SIGSEGV
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { NUL, BOOL, NUMBER, STRING, ARRAY, OBJECT };

struct value {
    enum type type;
    union {
        int boolean;
        double number;
        char *string;
        struct member *members;
    } u;
};

struct member {
    char *key;
    struct value *value;
    struct member *next;
};

static const char *in;
static int values, errors;

static struct value *parse_value(void);

static void blank(void)
{
    while (isspace((unsigned char)*in))
        in++;
}

static struct value *new_value(enum type type)
{
    struct value *v = calloc(1, sizeof *v);
    v->type = type;
    values++; /* @clean */
    return v;
}

static char *parse_string(void)
{
    size_t room = 8, n = 0;
    char *s = malloc(room);
    in++;
    while (*in && *in != '"') {
        char c = *in++;
        if (c == '\\') {
            c = *in++;
            if (c == 'n')
                c = '\n';
            else if (c == 't')
                c = '\t';
        }
        if (n + 1 == room)
            s = realloc(s, room *= 2);
        s[n++] = c;
    }
    if (*in == '"')
        in++;
    else
        errors++;
    s[n] = 0;
    return s;
}

static struct member *parse_members(char close, int keyed)
{
    struct member *first = NULL, **link = &first; /* @cause */
    in++;
    blank();
    while (*in && *in != close) { /* @cause */
        struct member *m = calloc(1, sizeof *m);
        if (keyed) {
            if (*in != '"') {
                errors++;
                free(m);
                break;
            }
            m->key = parse_string();
            blank();
            if (*in == ':')
                in++;
            else
                errors++;
        }
        m->value = parse_value();
        *link = m;
        link = &m->next;
        blank();
        if (*in == ',') {
            in++;
            blank();
        }
    }
    if (*in == close)
        in++;
    return first; /* @cause */
}

static struct value *parse_value(void)
{
    struct value *v;
    blank();
    if (*in == '{') {
        v = new_value(OBJECT);
        v->u.members = parse_members('}', 1);
    } else if (*in == '[') {
        v = new_value(ARRAY);
        v->u.members = parse_members(']', 0); /* @cause */
    } else if (*in == '"') {
        v = new_value(STRING);
        v->u.string = parse_string();
    } else if (isdigit((unsigned char)*in) || *in == '-') {
        char *end;
        v = new_value(NUMBER);
        v->u.number = strtod(in, &end);
        in = end;
    } else if (strncmp(in, "true", 4) == 0) {
        v = new_value(BOOL);
        v->u.boolean = 1;
        in += 4;
    } else if (strncmp(in, "null", 4) == 0) {
        v = new_value(NUL);
        in += 4;
    } else {
        v = new_value(NUL);
        errors++;
        in++;
    }
    return v;
}

static struct value *child(const struct value *v, const char *key, size_t len)
{
    struct member *m = v->u.members; /* @cause */
    if (v->type == ARRAY) {
        int i = atoi(key);
        while (i-- > 0 && m)
            m = m->next;
        return m->value; /* @fail */
    }
    for (; m; m = m->next)
        if (strlen(m->key) == len && !memcmp(m->key, key, len))
            return m->value; /* @cause */
    return NULL;
}

static struct value *query(struct value *v, const char *path)
{
    while (v && *path) {
        size_t len = strcspn(path, ".");
        v = child(v, path, len); /* @cause */
        path += len;
        if (*path == '.')
            path++;
    }
    return v;
}

static void print(const struct value *v)
{
    const struct member *m;
    switch (v->type) {
    case NUL: printf("null"); break;
    case BOOL: printf(v->u.boolean ? "true" : "false"); break;
    case NUMBER: printf("%g", v->u.number); break;
    case STRING: printf("\"%s\"", v->u.string); break;
    default:
        putchar(v->type == ARRAY ? '[' : '{');
        for (m = v->u.members; m; m = m->next) {
            if (m->key)
                printf("\"%s\":", m->key);
            print(m->value);
            if (m->next)
                putchar(',');
        }
        putchar(v->type == ARRAY ? ']' : '}');
    }
}

int main(int argc, char **argv)
{
    static char text[4096];
    struct value *root, *found;
    size_t n = fread(text, 1, sizeof text - 1, stdin);

    text[n] = 0;
    in = text;
    root = parse_value(); /* @cause */
    print(root);
    printf("\n%d values, %d errors\n", values, errors);
    found = query(root, argc > 1 ? argv[1] : "name"); /* @cause */
    if (found)
        print(found);
    return 0;
}
