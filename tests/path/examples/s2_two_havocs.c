/* The last input can always avoid the failure, the first only with it.
   nondet: 0 0
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    assert(x > 0 && y > 0);
    return 0;
}
