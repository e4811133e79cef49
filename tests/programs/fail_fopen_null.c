/*
 * what: fopen of a missing file returns NULL and fgets is called with it
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>

static char line[80];
static int opened;

static FILE *open_log(const char *dir)
{
    char path[100];
    snprintf(path, sizeof path, "%s/butfor-no-such-file", dir);
    opened++; /* @clean */
    return fopen(path, "r"); /* @cause */
}

int main(void)
{
    FILE *f = open_log("/nonexistent"); /* @cause */
    fgets(line, sizeof line, f);        /* @fail */
    printf("%s %d\n", line, opened);
    return 0;
}
