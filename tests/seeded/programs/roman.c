/* roman - converts between Roman and other numerals; each argument is converted on its own line.
 *   MCMXC -> 1990        1990 -> MCMXC
 *   1990:7 -> number in base 7       @ff -> from hexadecimal to Roman
 */
#include <stdio.h>
#include <string.h>
#include <ctype.h>

static const struct {
    int value;
    const char *text;
} table[] = {
    { 1000, "M" },
    { 900, "CM" },
    { 500, "D" },
    { 400, "CD" },
    { 100, "C" },
    { 90, "XC" },
    { 50, "L" },
    { 40, "XL" },
    { 10, "X" },
    { 9, "IX" },
    { 5, "V" },
    { 4, "IV" },
    { 1, "I" },
};

#define ENTRIES ((int)(sizeof table / sizeof table[0]))
#define LARGEST 3999

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static int digit_value(char c)
{
    const char *p = strchr(digits, tolower((unsigned char)c));
    if (c == '\0' || p == NULL)
        return -1;
    return (int)(p - digits);
}

/* -1 if s has anything but digits of the base; stops at the character `end` */
static long from_base(const char *s, int base, char end)
{
    long n = 0;

    if (*s == end)
        return -1;
    for (; *s != end; s++) {
        int d = digit_value(*s);
        if (d < 0 || d >= base)
            return -1;
        n = n * base + d;
        if (n > 1000000000)
            return -1;
    }
    return n;
}

static void to_base(long n, int base, char *out)
{
    char reversed[40];
    int k = 0;

    do {
        reversed[k++] = digits[n % base];
        n /= base;
    } while (n > 0);
    while (k > 0)
        *out++ = reversed[--k];
    *out = '\0';
}

static int to_roman(long n, char *out)
{
    out[0] = '\0';
    if (n < 1 || n > LARGEST)
        return 0;
    for (int i = 0; i < ENTRIES; i++) {
        while (n >= table[i].value) {
            strcat(out, table[i].text);
            n -= table[i].value;
        }
    }
    return 1;
}

static int letter_value(char c)
{
    for (int i = 0; i < ENTRIES; i++)
        if (table[i].text[0] == toupper((unsigned char)c) && table[i].text[1] == '\0')
            return table[i].value;
    return 0;
}

/* -1 if it is not a proper Roman numeral */
static int from_roman(const char *s)
{
    char again[32], upper[32];
    int sum = 0;
    size_t length = strlen(s);

    if (length == 0 || length >= sizeof upper)
        return -1;
    for (size_t i = 0; i < length; i++) {
        int here = letter_value(s[i]);
        int next = letter_value(s[i + 1]);
        if (here == 0)
            return -1;
        if (here < next)
            sum -= here;
        else
            sum += here;
        upper[i] = (char)toupper((unsigned char)s[i]);
    }
    upper[length] = '\0';
    /* the same number written properly must be the same text */
    if (!to_roman(sum, again) || strcmp(again, upper) != 0)
        return -1;
    return sum;
}

static void convert(const char *arg)
{
    char out[64];
    const char *colon = strchr(arg, ':');

    if (colon != NULL) {
        long base = from_base(colon + 1, 10, '\0');
        long n = from_base(arg, 10, ':');
        if (n >= 0 && base >= 2 && base <= 36) {
            to_base(n, (int)base, out);
            printf("%s\n", out);
            return;
        }
    } else if (*arg == '@') {
        if (to_roman(from_base(arg + 1, 16, '\0'), out)) {
            printf("%s\n", out);
            return;
        }
    } else if (isdigit((unsigned char)*arg)) {
        if (to_roman(from_base(arg, 10, '\0'), out)) {
            printf("%s\n", out);
            return;
        }
    } else {
        int n = from_roman(arg);
        if (n > 0) {
            printf("%d\n", n);
            return;
        }
    }
    printf("%s?\n", arg);
}

int main(int argc, char *argv[])
{
    for (int i = 1; i < argc; i++)
        convert(argv[i]);
    return argc > 1 ? 0 : 1;
}
