/* Nearly every value fails: only a solver finds one that does not.
   nondet: 3
   security: input-controlled nondet 0
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    unsigned x = (unsigned)__VERIFIER_nondet_int();
    assert(x * 3u + 11u == 4242428u);
    return 0;
}
