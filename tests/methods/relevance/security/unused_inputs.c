/* Two inputs come in and are added; the pointer that is used was never set.
   nondet: 4 9
   security: not-input-controlled
*/
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int *cache;

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int sum = (a & 0xff) + (b & 0xff);
    *cache = sum;
    return 0;
}
