/*
 * what: switch with the default in the middle, GNU case ranges, negative and long labels, nested
 * stdin: "Ab9_ z"
 * failure: output
 * expect-stdout: "UldpsL\n"
 */
#include <stdio.h>

static int wide(long v)
{
    switch (v) {
    case -5000000000L ... -1L:
        return -1;
    default:
        return 0;
    case 1 ... 4999999999L:
        return 1;
    }
}

static int class(int c)
{
    switch (c) { /* @cause */
    case 'A' ... 'Z':
        return 'U';
    default:
        return 'p'; /* @cause */
    case 'a' ... 'm':
        return 'l';
    case 'n' ... 'y': /* should be 'z' */
        return 'L';
    case '0' ... '9':
        return 'd';
    case ' ':
    case '\t':
        return 's';
    }
}

int main(void)
{
    int c, sum = 0;
    while ((c = getchar()) != EOF) { /* @cause */
        sum += wide((long)c * -40000000L); /* @clean */
        putchar(class(c));                 /* @fail */
    }
    putchar('\n');
    return sum == -6 ? 0 : 1;
}
