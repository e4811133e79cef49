/*
 * what: commands on lines, cut into words by strtok
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char line[128];
    int stack[16], top = 0;

    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \n");
        if (!word)
            continue;
        if (strcmp(word, "push") == 0) {
            char *value = strtok(NULL, " \n");
            if (value && top < 16)
                stack[top++] = atoi(value);
        } else if (strcmp(word, "swap") == 0) {
            int t;
            assert(top >= 2); /* @fail */
            t = stack[top - 1];
            stack[top - 1] = stack[top - 2];
            stack[top - 2] = t;
        } else if (strcmp(word, "quit") == 0) {
            break;
        }
    }
    return 0;
}
