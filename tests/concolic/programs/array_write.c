/*
 * what: an element chosen by one value is set to another, then all must be small
 * failure: reach-error
 */
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned char count[16] = {0};
    int i;

    for (i = 0; i < 6; i++) {
        unsigned char at = __VERIFIER_nondet_uchar();
        if (at >= 16)
            return 0;
        count[at]++;
    }
    if (count[11] == 3 && count[5] == 2)
        reach_error(); /* @fail */
    return 0;
}
