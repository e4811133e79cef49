/* A configuration reader: a key that is missing gives NULL, which travels through three functions to strlen.
 *
 * stdin: host=example\nport=80\n
 * at: width_of
 * says: lookup\(\) returned NULL here: `return NULL;`
 * says: strlen\(\)
 * says: line 46|report
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 20

typedef struct {
    char key[32];
    char value[64];
} Entry;

static Entry entries[MAX_ENTRIES];
static int entry_count = 0;

static void load(FILE *in)
{
    char line[128];
    while (fgets(line, sizeof line, in) != NULL) {
        char *equals = strchr(line, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        strncpy(entries[entry_count].key, line, 31);
        strncpy(entries[entry_count].value, equals + 1, 63);
        entries[entry_count].value[strcspn(entries[entry_count].value, "\n")] = '\0';
        entry_count++;
    }
}

static const char *lookup(const char *key)
{
    for (int i = 0; i < entry_count; i++)
        if (strcmp(entries[i].key, key) == 0)
            return entries[i].value;
    return NULL;
}

static const char *setting(const char *key)
{
    const char *value = lookup(key);
    return value;
}

static size_t width_of(const char *text)
{
    return strlen(text) + 2;
}

static void report(const char *key)
{
    const char *value = setting(key);
    size_t width = width_of(value);
    printf("%-*s|%s\n", (int)width, value, key);
}

int main(void)
{
    load(stdin);
    report("host");
    report("port");
    report("user");
    return 0;
}
