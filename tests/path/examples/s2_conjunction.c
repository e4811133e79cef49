/* One of the two conjuncts is fine.
   nondet: -3
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int y = 7;
    int x = __VERIFIER_nondet_int();
    assert(x >= 0 && y >= 0);
    return 0;
}
