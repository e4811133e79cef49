/*
 * what: out-of-bounds write on a global by index: one key more than the table holds
 * stdin: "aa bb cc dd ee"
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <string.h>

#define SLOTS 4

static int lengths[SLOTS];
static int count, longest;

static void add(const char *w)
{
    int n = (int)strlen(w);
    if (n > longest)
        longest = n; /* @clean */
    if (count <= SLOTS)       /* @cause */
        lengths[count++] = n; /* @fail */
}

int main(void)
{
    char w[16];
    while (scanf("%15s", w) == 1) /* @cause */
        add(w);                   /* @cause */
    printf("%d\n", longest);
    return 0;
}
