/* One value out of four thousand million fails.
   nondet: 7 305419896
   security: input-controlled nondet 1
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    assert((b ^ 0x12345678) != 0 || a < 5);
    return 0;
}
