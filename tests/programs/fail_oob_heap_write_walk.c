/*
 * what: out-of-bounds write on the heap by a walking pointer, no crash
 * stdin: "twelve chars"
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <stdlib.h>

static int spaces;

static int copy_upto(char *to, const char *from, int n)
{
    char *p = to;
    while (n-- > 0) /* @cause */
        *p++ = *from++;
    *p = '\0'; /* @fail */
    return (int)(p - to);
}

int main(void)
{
    char line[40], *copy;
    int n = 0, c;

    while ((c = getchar()) != EOF) { /* @cause */
        if (c == ' ')
            spaces++; /* @clean */
        line[n++] = (char)c; /* @cause */
    }
    copy = malloc(n);            /* @cause */
    n = copy_upto(copy, line, n); /* @cause */
    printf("%s %d\n", copy, n);
    return 0;
}
