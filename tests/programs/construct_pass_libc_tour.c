/*
 * what: a tour through libc: strtok_r, strspn, strpbrk, memccpy-like loops, snprintf(NULL), div, time-free helpers; does not fail
 * stdin: "key1 = 12 ; key2=7;key3 = 5"
 * expect-stdout: "key1:12 key2:7 key3:5 | 24 of 3 | 3 r 4 | b,c | -17 | 9 | A-Z\n"
 * failure: none
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *strip(char *s)
{
    char *e;
    s += strspn(s, " \t");
    e = s + strlen(s);
    while (e > s && isspace((unsigned char)e[-1]))
        *--e = 0;
    return s;
}

int main(void)
{
    char buf[128], *save, *part, *eq, *list = strdup("a:b,c"), range[8];
    size_t n = fread(buf, 1, sizeof buf - 1, stdin);
    int sum = 0, count = 0, need;
    div_t d = div(25, 7);

    buf[n] = 0;
    for (part = strtok_r(buf, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        eq = strpbrk(part, "=");
        if (!eq)
            continue;
        *eq++ = 0;
        sum += atoi(eq);
        count++;
        printf("%s:%s ", strip(part), strip(eq));
    }
    need = snprintf(NULL, 0, "%d+%d=%d", 12, 30, 42);
    stpcpy(stpcpy(range, "A-"), "Z");
    printf("| %d of %d | %d r %d | %s | %ld | %d | %s\n", sum, count, d.quot, d.rem, strchr(list, ':') + 1,
           strtol("-0x11zz", NULL, 16), need + 1, range);
    free(list);
    return 0;
}
