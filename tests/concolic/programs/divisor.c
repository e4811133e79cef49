/*
 * what: a divisor that is zero for one value only
 * failure: division
 */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = 3 * x - 123456;
    return 1000 / y == 7; /* @fail */
}
