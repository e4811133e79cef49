/*
 * what: NULL reaches strlen inside libc: an unset environment variable
 * env: BUTFOR_USER=ann
 * failure: signal
 * signal: SIGSEGV
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *user;
    const char *home;
};

static void load(struct settings *s)
{
    s->user = getenv("BUTFOR_USER");
    s->home = getenv("BUTFOR_HOME_MISSING"); /* @cause */
}

static size_t room(const struct settings *s)
{
    size_t n = strlen(s->user);
    n += strlen(s->home); /* @fail */
    return n + 2;
}

int main(void)
{
    struct settings s;
    int version = 1;

    load(&s); /* @cause */
    version += 4; /* @clean */
    printf("%d %zu\n", version, room(&s));
    return 0;
}
