/*
 * what: a logger over vsnprintf; a truncated message is compared later
 * failure: assertion
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROOM 12 /* too small */

static char last[ROOM];
static int calls;

static int logf_(const char *fmt, ...)
{
    va_list ap;
    int n;
    va_start(ap, fmt);
    n = vsnprintf(last, sizeof last, fmt, ap); /* @cause */
    va_end(ap);
    calls++; /* @clean */
    return n;
}

int main(void)
{
    char want[40];
    int n, same;

    logf_("%s", "start");
    n = logf_("%s=%d/%5.2f", "ratio", 42, 3.14159); /* @cause */
    sprintf(want, "ratio=42/ 3.14");                 /* @cause */
    same = strcmp(last, want) == 0;                  /* @cause */
    printf("%d [%s] %d\n", n, last, calls);
    assert(same); /* @fail */
    return 0;
}
