/* A value that does not matter before an input that does.
   nondet: 3
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int y = 10;
    int x = __VERIFIER_nondet_int();
    assert(!(x > 0));
    return y;
}
