/* A command that is read from standard input selects the faulty case.
   stdin: "print\ndivide\n"
   security: input-controlled stdin
*/
#include <stdio.h>
#include <string.h>

static int divide(int a, int b) { return a / b; }

int main(void) {
    char word[32];
    int total = 0;
    while (scanf("%31s", word) == 1) {
        if (strcmp(word, "divide") == 0)
            total += divide(10, total);
        else if (strcmp(word, "add") == 0)
            total += 1;
    }
    printf("%d\n", total);
    return 0;
}
