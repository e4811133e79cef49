/*
 * what: no failure, and few paths
 * failure: none
 */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = x < 0 ? 0 : x > 100 ? 100 : x;
    assert(y >= 0 && y <= 100);
    return 0;
}
