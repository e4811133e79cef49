/*
 * what: a sum over the bytes of a line has to be right, and the line has to begin with a word
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[40];
    unsigned sum = 0;
    size_t i, n;

    if (!fgets(line, sizeof line, stdin))
        return 1;
    n = strlen(line);
    if (n < 8 || strncmp(line, "GET ", 4) != 0)
        return 1;
    for (i = 4; i < n; i++)
        sum += (unsigned char)line[i];
    assert(sum != 777); /* @fail */
    return 0;
}
