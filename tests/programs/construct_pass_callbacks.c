/*
 * what: callbacks within callbacks: qsort whose comparison uses bsearch, longjmp out of a callback; does not fail
 * expect-stdout: "low mid high | stopped at 3 | 6\n"
 * failure: none
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rank {
    const char *name;
    int value;
} ranks[] = {{"high", 3}, {"low", 1}, {"mid", 2}};

static jmp_buf out;
static int visited;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct rank *)a)->name, ((const struct rank *)b)->name);
}

static int value(const char *name)
{
    struct rank key = {name, 0};
    const struct rank *r = bsearch(&key, ranks, 3, sizeof key, by_name);
    return r ? r->value : 0;
}

static int by_rank(const void *a, const void *b)
{
    return value(*(const char *const *)a) - value(*(const char *const *)b);
}

static int stopper(const void *a, const void *b)
{
    if (++visited == 3)
        longjmp(out, visited);
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    const char *names[] = {"high", "mid", "low"};
    int numbers[] = {5, 4, 3, 2, 1, 0}, code, i, sum = 0;

    qsort(names, 3, sizeof names[0], by_rank);
    code = setjmp(out);
    if (code == 0)
        qsort(numbers, 6, sizeof numbers[0], stopper);
    for (i = 0; i < 3; i++)
        sum += value(names[i]);
    printf("%s %s %s | stopped at %d | %d\n", names[0], names[1], names[2], code, sum);
    return 0;
}
