/* Elements of one array are cells of their own.
   nondet: 1
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int a[8];
    int j = __VERIFIER_nondet_int();
    int i = j + 1;
    a[i] = 5;
    a[j] = 7;
    assert(a[i] == 8);
    return 0;
}
