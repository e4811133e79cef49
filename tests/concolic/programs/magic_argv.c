/*
 * what: a magic word of eight bytes, compared byte by byte in a hand-written loop
 * failure: assertion
 */
#include <assert.h>

static const char key[] = "Xy7#qQ!z";

static int matches(const char *text)
{
    int i;
    for (i = 0; key[i] != '\0'; i++)
        if (text[i] != key[i])
            return 0;
    return text[i] == '\0';
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    assert(!matches(argv[1])); /* @fail */
    return 0;
}
