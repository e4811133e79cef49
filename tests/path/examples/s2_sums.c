/* Both sums count; what y becomes does not.
   nondet: -5 1 2
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    x = x + y;
    x = x + z;
    y = y + z;
    assert(x >= 0);
    return y;
}
