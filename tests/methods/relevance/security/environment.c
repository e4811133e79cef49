/* A setting of the environment is used as a divisor.
   env: STEP_SIZE=0
   security: input-controlled env STEP_SIZE
*/
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *text = getenv("STEP_SIZE");
    int step = text ? atoi(text) : 1;
    printf("%d\n", 100 / step);
    return 0;
}
