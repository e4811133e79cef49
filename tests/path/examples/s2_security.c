/* One value of the input leads to the failure, others do not.
   nondet: 2
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = 1;
    int y = __VERIFIER_nondet_int();
    if (y == 2)
        y = y + 1;
    assert(y != 3);
    return x;
}
