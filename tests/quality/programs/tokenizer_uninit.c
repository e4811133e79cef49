/* A tokenizer with a state variable that is set only on some paths.
 *
 * args: abc
 * at: classify
 * says: never given a value
 * says: `kind`
 * says: otherwise (it|`\w+`) could have been assigned
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum kind { WORD, NUMBER, OTHER };

struct token {
    enum kind kind;
    size_t length;
};

static int is_word_start(char c)
{
    return isupper((unsigned char)c) || c == '_';
}

static struct token classify(const char *text)
{
    struct token t;
    enum kind kind;
    size_t n = strlen(text);
    if (n > 0 && isdigit((unsigned char)text[0]))
        kind = NUMBER;
    else if (n > 0 && is_word_start(text[0]))
        kind = WORD;
    else if (n == 0)
        kind = OTHER;
    switch (kind) {
    case NUMBER:
        t.length = strspn(text, "0123456789");
        break;
    case WORD:
        t.length = n;
        break;
    default:
        t.length = 1;
        break;
    }
    t.kind = kind;
    return t;
}

int main(int argc, char **argv)
{
    size_t total = 0;
    for (int i = 1; i < argc; i++) {
        struct token t = classify(argv[i]);
        total += t.length;
        printf("%s: %zu\n", argv[i], t.length);
    }
    printf("total %zu\n", total);
    return 0;
}
