/*
 * what: exit from nested calls with atexit handlers that still run
 * args: 3 4 -2 9
 * expect-exit: 0
 * failure: exit-status
 */
#include <stdio.h>
#include <stdlib.h>

static int processed;
static int status;

static void report(void)
{
    printf("processed %d\n", processed);
}

static void bye(void)
{
    puts("bye");
}

static void stop(int code)
{
    exit(code); /* @fail */
}

static void handle(int v)
{
    if (v < 0)             /* @cause */
        stop(status | 4); /* @cause */
    processed++;          /* @clean */
}

int main(int argc, char **argv)
{
    int i;
    atexit(report);
    atexit(bye);
    for (i = 1; i < argc; i++)
        handle(atoi(argv[i])); /* @cause */
    return 0;
}
