/*
 * what: free of a pointer into the middle of a heap block
 * failure: memory
 * memory: bad-free
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *s)
{
    while (isspace((unsigned char)*s)) /* @cause */
        s++;                           /* @cause */
    return s;
}

int main(void)
{
    char *line = strdup("    indented text"); /* @cause */
    int words = 0;
    char *p;

    line = trim(line); /* @cause */
    for (p = line; *p; p++)
        words += *p == ' '; /* @clean */
    printf("%s %d\n", line, words + 1);
    fflush(stdout);
    free(line); /* @fail */
    return 0;
}
