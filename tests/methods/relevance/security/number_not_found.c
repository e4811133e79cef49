/* scanf finds no number and leaves the variable alone: it is in no slice of this run.
   stdin: "abc"
   security: input-controlled stdin
*/
#include <assert.h>
#include <stdio.h>

int main(void) {
    int x = 0;
    scanf("%d", &x);
    assert(x != 0);
    return 0;
}
