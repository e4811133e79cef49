/*
 * what: missing output: the last group is never printed because the loop ends first
 * stdin: "a a b c c"
 * failure: output
 * expect-stdout: "a 2\nb 1\nc 2\n"
 */
#include <stdio.h>

static int reads;

int main(void)
{
    char word[16], last = 0;
    int run = 0;

    while (scanf("%15s", word) == 1) { /* @cause */
        reads++; /* @clean */
        if (last && word[0] != last) {
            printf("%c %d\n", last, run);
            run = 0;
        }
        last = word[0];
        run++;
    }
    return reads > 99;
}
