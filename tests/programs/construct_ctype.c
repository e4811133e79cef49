/*
 * what: ctype classification and conversion; a caesar shift wraps wrongly
 * args: "Hello, Xyz 7!"
 * failure: output
 * expect-stdout: "KHOOR, ABC 7! 8 2 1\n"
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int rotate(int c, int by)
{
    c += by;       /* @cause */
    if (c > 'Z' + 1) /* @omission */
        c -= 26;
    return c;
}

int main(int argc, char **argv)
{
    char out[64];
    int letters = 0, punct = 0, digits = 0, i;
    const char *s = argv[1];

    for (i = 0; s[i]; i++) {
        unsigned char c = (unsigned char)s[i]; /* @cause */
        if (isalpha(c)) {                      /* @cause */
            letters++;                         /* @clean */
            c = rotate(toupper(c), 3);         /* @cause */
        } else if (isdigit(c)) {
            digits++; /* @clean */
        } else if (ispunct(c)) {
            punct++;
        }
        out[i] = c; /* @cause */
    }
    out[i] = 0;
    printf("%s %d %d %d\n", out, letters, punct, digits); /* @fail */
    return 0;
}
