/* An input below 42 is the reason that x becomes 0.
   nondet: 7
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int input = __VERIFIER_nondet_int();
    __VERIFIER_assume(input < 42);
    int x = 1;
    int y = input - 42;
    if (y < 0)
        x = 0;
    assert(x != 0);
    return 0;
}
