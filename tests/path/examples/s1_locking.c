/* No arm of the last conditional is taken, so the lock is never released.
   nondet: 0 -1
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    __VERIFIER_assume(x == 0 && y == -1);
    int z = 0;
    int lock = 1;
    if (x == 0) {
        if (y == 0)
            z = 1;
    }
    if (y != 0)
        z = y;
    if (x != 0) {
        z = 2;
        lock = 0;
    } else if (z > 0) {
        z = 3;
        lock = 0;
    }
    assert(lock == 0);
    return z;
}
