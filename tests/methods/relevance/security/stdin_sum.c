/* The sum of the numbers that come in must not get too large.
   stdin: "3 40 90 2\n"
   security: input-controlled stdin
*/
#include <assert.h>
#include <stdio.h>

int main(void) {
    int sum = 0, n;
    while (scanf("%d", &n) == 1)
        sum += n;
    assert(sum < 100);
    printf("%d\n", sum);
    return 0;
}
