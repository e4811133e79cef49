/*
 * what: call through a NULL function pointer from a table with a gap
 * args: stop
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>
#include <string.h>

typedef void (*action)(int);

static int started, log_count;

static void start(int n) { started += n; }
static void pause_(int n) { started -= n; }

static const char *const names[] = {"start", "pause", "stop"};
static action actions[3] = {start, pause_}; /* @cause */

static int index_of(const char *name)
{
    int i = 0;
    while (i < 2 && strcmp(names[i], name) != 0)
        i++; /* @cause */
    return i;
}

static void run(const char *name, int n)
{
    action f = actions[index_of(name)]; /* @cause */
    log_count++;                        /* @clean */
    f(n);                               /* @fail */
}

int main(int argc, char **argv)
{
    run("start", 3);
    run(argv[1], 1); /* @cause */
    printf("%d %d\n", started, log_count);
    return 0;
}
