/*
 * what: the failure needs twenty rounds of a loop, each with another value
 * failure: reach-error
 */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i, good = 0;

    for (i = 0; i < 20; i++) {
        int x = __VERIFIER_nondet_int();
        if (x == 3 * i + 7)
            good++;
    }
    if (good == 20)
        reach_error(); /* @fail */
    return 0;
}
