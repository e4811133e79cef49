/*
 * what: a nonzero exit status without any message: an error counter is increased wrongly
 * stdin: "ok\nfail\nok\nfailover\n"
 * failure: exit-status
 */
#include <stdio.h>
#include <string.h>

static int errors, lines;

static void inspect(const char *line)
{
    lines++; /* @clean */
    if (strncmp(line, "fail", 4) == 0 && line[4] != '\n') /* @cause */
        errors++; /* @cause */
}

int main(void)
{
    char buf[64];
    while (fgets(buf, sizeof buf, stdin)) /* @cause */
        inspect(buf);                     /* @cause */
    printf("%d lines\n", lines);
    return errors ? 3 : 0; /* @fail */
}
