/*
 * what: the number of rounds comes from the input, and the failure is in the twentieth
 * failure: reach-error
 */
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

int main(void)
{
    unsigned level = 0;

    while (__VERIFIER_nondet_bool()) {
        unsigned step = __VERIFIER_nondet_uint();
        if (step == 0 || step > 2)
            break;
        level += step;
        if (level == 20) {
            reach_error(); /* @fail */
        }
    }
    return 0;
}
