/*
 * what: indirect calls to libc functions: pointers to strlen, malloc, free, toupper
 * failure: assertion
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocator {
    void *(*get)(size_t);
    void (*put)(void *);
};

static struct allocator heap = {malloc, free};
static size_t (*measure)(const char *) = strlen;

static void map(char *s, int (*f)(int))
{
    for (; *s; s++)
        *s = (char)f((unsigned char)*s);
}

int main(void)
{
    const char *word = "causal"; /* @cause */
    size_t n = measure(word);
    char *copy = heap.get(n + 1);
    int (*convert)(int) = toupper;
    int initial;

    strcpy(copy, word); /* @cause */
    convert = tolower;  /* @cause */
    map(copy, convert); /* @cause */
    initial = copy[0];  /* @cause */
    printf("%s %zu\n", copy, n);
    n = measure("unrelated"); /* @clean */
    heap.put(copy);
    assert(initial == 'C'); /* @fail */
    return (int)n - 9;
}
