/* Each byte is any byte, but there could be fewer of them.
   stdin: "abc"
   security: input-controlled stdin
*/
#include <assert.h>
#include <stdio.h>

int main(void) {
    int c, n = 0;
    while ((c = getchar()) != EOF)
        n++;
    assert(n != 3);
    return 0;
}
