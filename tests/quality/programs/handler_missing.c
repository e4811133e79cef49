/* A dispatch table has no handler for one command, and nobody looks whether there is one.
 *
 * args: get del
 * at: dispatch
 * says: NULL
 * says: handler
 */
#include <stdio.h>
#include <string.h>

typedef int (*handler)(const char *);

static int do_get(const char *name)
{
    return printf("get %s\n", name);
}

static int do_put(const char *name)
{
    return printf("put %s\n", name);
}

static const struct {
    const char *name;
    handler handler;
} commands[] = {{"get", do_get}, {"put", do_put}, {"del", NULL}};

static int dispatch(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].handler(name);
    return -1;
}

int main(int argc, char **argv)
{
    int done = 0;
    for (int i = 1; i < argc; i++)
        done += dispatch(argv[i]) > 0;
    return done == argc - 1 ? 0 : 1;
}
