/* The arm for negative numbers assigns the wrong variable.
   nondet: -1
*/
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static void check(int in) {
    int sign;
    int abs = in;
    if (in == 0)
        return;
    if (in < 0)
        sign = -1;
    else
        sign = 1;
    if (sign == -1)
        sign = in * -1;
    else
        abs = in;
    assert(abs >= 0);
}

int main(void) {
    int in = __VERIFIER_nondet_int();
    __VERIFIER_assume(in == -1);
    check(in);
    return 0;
}
