/* Any line fails, no line does not.
   stdin: "hello\n"
   security: input-controlled stdin
*/
#include <assert.h>
#include <stdio.h>

int main(void) {
    char line[16];
    int x = 0;
    if (fgets(line, sizeof line, stdin))
        x = 5;
    assert(x != 5);
    return 0;
}
