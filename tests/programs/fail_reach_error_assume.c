/*
 * what: reach_error with assumptions, an own check function and several nondet types
 * nondet: 5 6 200 1
 * failure: reach-error
 */
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int cond)
{
    if (!cond) { /* @cause */
    ERROR:
        reach_error(); /* @fail */
    }
}

struct pair {
    int low, high;
};

int main(void)
{
    struct pair p;
    unsigned char fill;
    int swaps = 0;

    p.low = __VERIFIER_nondet_int();  /* @cause */
    p.high = __VERIFIER_nondet_int(); /* @cause */
    __VERIFIER_assume(p.low < p.high);
    fill = __VERIFIER_nondet_uchar();
    fill += 60; /* @clean */
    if (__VERIFIER_nondet_bool()) { /* @cause */
        int t = p.low;
        p.low = p.high; /* @cause */
        p.high = t;     /* @cause */
        swaps++;        /* @clean */
    }
    check(p.low < p.high); /* @cause */
    return fill + swaps > 1000;
}
