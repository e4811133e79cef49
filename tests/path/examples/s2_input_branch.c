/* The input, what is computed from it, and what the branch assigns.
   nondet: 7
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int input = __VERIFIER_nondet_int();
    int x = 1;
    int y = input - 42;
    if (y < 0)
        x = 0;
    assert(x != 0);
    return 0;
}
