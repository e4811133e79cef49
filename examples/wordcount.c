/* Counts the words of its standard input and prints the longest one.
 *
 *     printf 'to be or not to be' | butfor explain examples/wordcount.c --expect-stdout examples/wordcount.expected
 *
 * The last word is only counted when white space follows it: the step after the loop was forgotten. The statement to blame is one that
 * did not run, so the explanation shows the decision that could have run it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORD 63

static int words;
static char longest[MAX_WORD + 1];

static void end_word(char *word, int *length)
{
    word[*length] = '\0';
    if (*length > 0)
        words++;
    if ((size_t)*length > strlen(longest))
        strcpy(longest, word);
    *length = 0;
}

int main(void)
{
    char word[MAX_WORD + 1];
    int length = 0;
    int c;

    while ((c = getchar()) != EOF) {
        if (isspace(c))
            end_word(word, &length);
        else if (length < MAX_WORD)
            word[length++] = (char)c;
    }
    printf("%d words, longest \"%s\"\n", words, longest);
    return 0;
}
