/*
 * what: an expected exit status of three from a nested call; does not fail
 * stdin: "1\n2\nx\n"
 * expect-exit: 3
 * failure: none
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int line;

static void check(const char *s)
{
    line++;
    if (!isdigit((unsigned char)s[0]))
        exit(line);
}

int main(void)
{
    char buf[16];
    while (fgets(buf, sizeof buf, stdin))
        check(buf);
    return 0;
}
