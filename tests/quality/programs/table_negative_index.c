/* A character table is indexed with a character that is below 'a'.
 *
 * args: cab-d
 * at: count
 * says: before `?letters|element -|outside
 * says: index_of
 */
#include <stdio.h>
#include <string.h>

static int letters[26];

static int index_of(char c)
{
    return c - 'a';
}

static void count(const char *text)
{
    for (size_t i = 0; i < strlen(text); i++) {
        int k = index_of(text[i]);
        letters[k] += 1;
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        count(argv[i]);
    for (int k = 0; k < 26; k++)
        if (letters[k])
            printf("%c %d\n", 'a' + k, letters[k]);
    return 0;
}
