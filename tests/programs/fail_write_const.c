/*
 * what: SIGSEGV by a write into a string literal
 * failure: signal
 * signal: SIGSEGV
 */
#include <ctype.h>
#include <stdio.h>

struct title {
    char *text;
    int level;
};

static int upcased;

static void capitalise(char *s)
{
    s[0] = (char)toupper((unsigned char)s[0]); /* @fail */
}

int main(void)
{
    char local[] = "first";
    struct title t[2] = {{local, 1}, {"second", 2}}; /* @cause */
    int i;
    for (i = 0; i < 2; i++) { /* @cause */
        upcased++; /* @clean */
        capitalise(t[i].text); /* @cause */
    }
    printf("%s %d\n", t[0].text, upcased);
    return 0;
}
