/*
 * what: an uninitialised index is used in an address after a loop that found nothing
 * args: 42
 * failure: memory
 * memory: uninitialised
 */
#include <stdio.h>
#include <stdlib.h>

static const int keys[4] = {10, 20, 30, 40};
static const char *const values[256] = {"ten", "twenty", "thirty", "forty"};
static long probes;

static const char *lookup(int key)
{
    unsigned char at;
    int i;
    for (i = 0; i < 4; i++) {
        probes += i; /* @clean */
        if (keys[i] == key) /* @omission */
            at = (unsigned char)i;
    }
    return values[at]; /* @fail */
}

int main(int argc, char **argv)
{
    const char *v = lookup(atoi(argv[1])); /* @cause */
    printf("%d\n", v != (const char *)1);
    return 0;
}
