/*
 * what: a colour in hexadecimal digits; the classes of characters come from the library
 * failure: assertion
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned value = 0;
    const char *p;

    if (argc != 2 || strlen(argv[1]) != 7 || argv[1][0] != '#')
        return 1;
    for (p = argv[1] + 1; *p; p++) {
        if (!isxdigit((unsigned char)*p))
            return 1;
        value = value * 16 + (isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10);
    }
    assert(value != 0xc0ffee); /* @fail */
    printf("%u\n", value);
    return 0;
}
