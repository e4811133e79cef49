/* Statistics per group: a group whose rows are all filtered out has a count of 0, by which the sum is divided.
 *
 * stdin: a 4\nb -1\na 6\nb -3\n
 * at: print_group
 * says: division by zero
 * says: `g->count`|count = 0
 * says: (still had its initial value|became 0|memset|calloc|never)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 4

struct group {
    char name;
    int sum;
    int count;
};

static struct group groups[GROUPS];
static int used;

static struct group *group_of(char name)
{
    for (int i = 0; i < used; i++)
        if (groups[i].name == name)
            return &groups[i];
    if (used == GROUPS)
        return NULL;
    groups[used].name = name;
    return &groups[used++];
}

static void add_row(char name, int value)
{
    struct group *g = group_of(name);
    if (!g)
        return;
    if (value < 0)
        return;
    g->sum += value;
    g->count++;
}

static void read_rows(FILE *in)
{
    char name;
    int value;
    while (fscanf(in, " %c %d", &name, &value) == 2)
        add_row(name, value);
}

static void print_group(const struct group *g)
{
    int mean = g->sum / g->count;
    printf("%c: %d of %d\n", g->name, mean, g->count);
}

int main(void)
{
    read_rows(stdin);
    for (int i = 0; i < used; i++)
        print_group(&groups[i]);
    return 0;
}
