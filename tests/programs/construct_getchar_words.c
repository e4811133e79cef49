/*
 * what: standard input by getchar and ungetc: word count state machine
 * stdin: "one two\tthree\nfour  five\n"
 * failure: output
 * expect-stdout: "2 5 25\n"
 */
#include <stdio.h>

#define IN 1
#define OUT 0

int main(void)
{
    int c, state = OUT;
    int nl = 0, nw = 0, nc = 0;

    c = getchar();
    ungetc(c, stdin);
    while ((c = getchar()) != EOF) { /* @cause */
        ++nc;                        /* @clean */
        if (c == '\n')
            ++nl;
        if (c == ' ' || c == '\n') /* @cause */
            state = OUT;           /* @cause */
        else if (state == OUT) {   /* @cause */
            state = IN;            /* @cause */
            ++nw;                  /* @cause */
        }
    }
    printf("%d %d %d\n", nl, nw, nc); /* @fail */
    return 0;
}
