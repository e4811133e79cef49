/*
 * what: free of a pointer to a local array chosen instead of the heap copy
 * args: tiny
 * failure: memory
 * memory: bad-free
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int total;

static char *pick(const char *s, char *small, size_t room)
{
    if (strlen(s) < room) { /* @cause */
        strcpy(small, s);
        return small; /* @cause */
    }
    return strdup(s);
}

int main(int argc, char **argv)
{
    char small[16];
    char *s = pick(argv[1], small, sizeof small); /* @cause */
    total += (int)strlen(s); /* @clean */
    printf("%d\n", total);
    fflush(stdout);
    free(s); /* @fail */
    return 0;
}
