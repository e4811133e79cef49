/*
 * what: goto forward, backward and into the body of a loop
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static int copied[16];

static int duff(const int *from, int n)
{
    int i = 0, rounds = 0;

    if (n % 2) /* @cause */
        goto odd;
    while (i < n) {
        copied[i] = from[i];
        i++;
    odd:
        copied[i] = from[i] + rounds; /* @cause */
        i++;
        rounds++; /* @cause */
    }
    return i;
}

int main(void)
{
    int from[7], i = 0, tries = 0, waited = 0, n, sum = 0;

again:
    from[i] = i * i; /* @cause */
    if (++i < 7)
        goto again;
retry:
    tries++;
    waited += 10 * tries; /* @clean */
    if (tries < 3)
        goto retry;
    n = duff(from, 7);
    for (i = 0; i < n; i++)
        sum += copied[i]; /* @cause */
    printf("%d copied, %d waited\n", n, waited);
    assert(sum == 0 + 1 + 4 + 9 + 16 + 25 + 36); /* @fail */
    return 0;
}
