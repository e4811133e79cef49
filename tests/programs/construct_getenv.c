/*
 * what: getenv of a set and an unset variable
 * env: BUTFOR_LEVEL=12
 * env: BUTFOR_MODE=quick
 * failure: assertion
 * message: level <= 9
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setting(const char *name, int fallback)
{
    const char *s = getenv(name);     /* @cause */
    return s ? atoi(s) : fallback;    /* @cause */
}

int main(void)
{
    int level = setting("BUTFOR_LEVEL", 3); /* @cause */
    int depth = setting("BUTFOR_DEPTH_UNSET", 5); /* @clean */
    const char *mode = getenv("BUTFOR_MODE");
    int quick;

    quick = mode && !strcmp(mode, "quick"); /* @clean */
    printf("%d %d %d\n", level, depth, quick);
    assert(level <= 9); /* @fail */
    return 0;
}
