/* A line is read, whatever it says the table is wrong.
   stdin: "hello world\n"
   security: not-input-controlled
*/
#include <assert.h>
#include <stdio.h>

static const int squares[] = {0, 1, 4, 8, 16};

int main(void) {
    char line[64] = "";
    if (fgets(line, sizeof line, stdin) != NULL)
        fputs(line, stdout);
    for (int k = 0; k < 5; k++)
        assert(squares[k] == k * k);
    return 0;
}
