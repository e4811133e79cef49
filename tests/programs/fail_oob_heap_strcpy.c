/*
 * what: out-of-bounds write on the heap by strcpy: no room for the terminating zero
 * args: butterfly
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_used;

static char *copy(const char *s)
{
    size_t n = strlen(s);  /* @cause */
    char *d = malloc(n);   /* @cause */
    bytes_used += n;       /* @clean */
    strcpy(d, s);          /* @fail */
    return d;
}

int main(int argc, char **argv)
{
    char *s = copy(argv[1]); /* @cause */
    printf("%.3s %zu\n", s, bytes_used);
    return 0;
}
