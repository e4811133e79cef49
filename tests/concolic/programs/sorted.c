/*
 * what: five values must be sorted, different and have a given sum
 * failure: reach-error
 */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void)
{
    int a[5], i, sum = 0;

    for (i = 0; i < 5; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(a[i] >= 0 && a[i] < 100);
        if (i > 0)
            __VERIFIER_assume(a[i] > a[i - 1]);
        sum += a[i];
    }
    if (sum == 321)
        reach_error(); /* @fail */
    return 0;
}
