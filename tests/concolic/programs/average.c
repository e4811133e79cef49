/*
 * what: the mean of two sorted indices overflows
 * failure: reach-error
 */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);

static void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

int main(void)
{
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    int middle;

    assume_abort_if_not(low >= 0);
    assume_abort_if_not(high > low);
    middle = (low + high) / 2;
    if (middle < low)
        reach_error(); /* @fail */
    return 0;
}
