/*
 * what: a magic word on standard input, compared by the library after the newline was cut off
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[64];
    int locked = 1;

    printf("password: ");
    if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "open-7up") == 0)
        locked = 0;
    assert(locked); /* @fail */
    puts("wrong");
    return 1;
}
