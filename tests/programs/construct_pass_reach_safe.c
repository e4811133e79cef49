/*
 * what: nondet values with assumptions and a reach_error that is not reached; does not fail
 * nondet: 4 9 -3
 * failure: none
 */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int max(int a, int b)
{
    return a > b ? a : b;
}

int main(void)
{
    int i, m, v[3];
    for (i = 0; i < 3; i++)
        v[i] = __VERIFIER_nondet_int();
    __VERIFIER_assume(v[0] < v[1]);
    m = max(max(v[0], v[1]), v[2]);
    for (i = 0; i < 3; i++)
        if (v[i] > m)
            reach_error();
    return 0;
}
