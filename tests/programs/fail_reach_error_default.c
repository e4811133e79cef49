/*
 * what: reach_error where the nondet values default to zero; arrays and unsigned arithmetic
 * failure: reach-error
 */
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);

static unsigned a[4];

static unsigned last(unsigned n)
{
    return n - 1; /* @cause */
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(); /* @cause */
    long other = __VERIFIER_nondet_long();
    unsigned i;

    for (i = 0; i < 4; i++)
        a[i] = i; /* @clean */
    other += 2;   /* @clean */
    if (last(n) > 1000) /* @cause */
        reach_error();  /* @fail */
    return a[2] + other > 100;
}
