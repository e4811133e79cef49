/*
 * what: own varargs functions with int, long, double, pointers and more than six arguments
 * failure: assertion
 * message: total == 55
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static int sum_ints(int n, ...)
{
    va_list ap;
    int total = 0;
    va_start(ap, n);
    while (n-- > 0)
        total += va_arg(ap, int); /* @cause */
    va_end(ap);
    return total;
}

static double mean(const char *types, ...)
{
    va_list ap, again;
    double sum = 0;
    int n = 0;
    va_start(ap, types);
    va_copy(again, ap);
    for (; *types; types++, n++) {
        switch (*types) {
        case 'i': sum += va_arg(ap, int); break;
        case 'd': sum += va_arg(ap, double); break;
        case 'l': sum += va_arg(ap, long); break;
        case 'p': sum += *va_arg(ap, int *); break;
        }
    }
    n += va_arg(again, int) * 0;
    va_end(again);
    va_end(ap);
    return n ? sum / n : 0;
}

int main(void)
{
    int nine = 8; /* @cause */
    double m;
    int total;

    m = mean("idlpdddddddd", 1, 2.0, 3L, &nine, 1., 2., 3., 4., 5., 6., 7., 8.); /* @clean */
    total = sum_ints(10, 1, 2, 3, 4, 5, 6, 7, 8, nine, 10); /* @cause */
    printf("%.2f %d\n", m, total);
    assert(total == 55); /* @fail */
    return 0;
}
