/*
 * what: standard input by getline with a growing buffer; the longest line is kept by pointer only
 * stdin: "short\na much longer line\nmid line\n"
 * failure: output
 * expect-stdout: "longest: a much longer line\n"
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL, *longest = NULL;
    size_t room = 0, total = 0;
    ssize_t n, best = 0;

    while ((n = getline(&line, &room, stdin)) > 0) { /* @cause */
        if (line[n - 1] == '\n')
            line[--n] = '\0';
        total += n; /* @clean */
        if (n > best) {
            best = n;
            longest = line; /* @cause */
        }
    }
    printf("longest: %s\n", longest); /* @fail */
    free(line);
    return total == 31 ? 0 : 1;
}
