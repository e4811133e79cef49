/* Both values are needed to get past the assumption.
   nondet: 4
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int y = 42;
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && y >= 23);
    assert(0);
    return 0;
}
