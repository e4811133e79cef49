/* The branch has nothing to do with the check.
   nondet: 7
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int input = __VERIFIER_nondet_int();
    int x = 0;
    int y = input - 42;
    if (y < 0)
        y = 0;
    assert(x != 0);
    return y;
}
