/* A calculator with a table of operators, one of whose entries names the wrong function.
 *
 * stdin: 3 9 max\n
 * expect: 9\n
 * at: main
 * says: printed "3" where "9" was expected
 * says: `push\(fn\(a, b\)\);` called op_min\(\) through `fn`
 * says: `a < b` was true
 * says: line 30 .*op_min by its initialiser
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long op_add(long a, long b)
{
    return a + b;
}

static long op_min(long a, long b)
{
    return a < b ? a : b;
}

static const struct {
    const char *name;
    long (*fn)(long, long);
} ops[] = {
    {"+", op_add},
    {"max", op_min},
};

static long stack[20];
static int used;

static void push(long value)
{
    if (used < 20)
        stack[used++] = value;
}

static void word(const char *text)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, text) == 0 && used >= 2) {
            long (*fn)(long, long) = ops[i].fn;
            long b = stack[--used], a = stack[--used];
            push(fn(a, b));
            return;
        }
    push(strtol(text, NULL, 10));
}

int main(void)
{
    char text[16];
    while (scanf("%15s", text) == 1)
        word(text);
    printf("%ld\n", stack[0]);
    return 0;
}
