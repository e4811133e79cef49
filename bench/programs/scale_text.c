/* A text of so many words, of which every third begins with a capital letter; the first of all is not counted. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    char *text = malloc(n * 8 + 1);
    char *to = text;
    *to = 0;
    for (int i = 0; i < n; i++) {
        char word[8];
        sprintf(word, "%c%d ", (i % 3 ? 'a' : 'A') + i % 26, i % 10);
        strcpy(to, word);
        to += strlen(word);
    }
    int words = 0, capitals = 0;
    for (char *p = text; *p; p++) {
        if (*p == ' ')
            words++;
        else if (isupper((unsigned char)*p) && p > text && p[-1] == ' ')
            capitals++;
    }
    assert(words == n && capitals == (n + 2) / 3);
    free(text);
    return 0;
}
