/*
 * what: reach_error with nondet values and a loop
 * nondet: 3 -1 7
 * failure: reach-error
 */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i, x, sum = 0, seen = 0;
    for (i = 0; i < 3; i++) {
        x = __VERIFIER_nondet_int(); /* @cause */
        if (x > 0)
            sum += x; /* @cause */
        seen += 5; /* @clean */
    }
    if (sum == 10)     /* @cause */
        reach_error(); /* @fail */
    return seen > 99;
}
