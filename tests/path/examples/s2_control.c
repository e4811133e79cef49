/* Whatever the state is: the two conditions are why the check is reached.
   nondet: 0 0
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    int y = 0;
    if (x == 0) {
        if (z == 0)
            y = 1;
        else
            for (;;)
                ;
        assert(0);
    }
    return y;
}
