/*
 * what: long loops (some fifty thousand steps) with a hash, a sieve and a collatz search; ends well
 * expect-stdout: "239 primes, longest 871 (179), hash 68572390\n"
 * failure: none
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 1500

static unsigned char composite[N];

static int sieve(void)
{
    int i, j, count = 0;
    for (i = 2; i < N; i++) {
        if (composite[i])
            continue;
        count++;
        for (j = i * 2; j < N; j += i)
            composite[j] = 1;
    }
    return count;
}

static int collatz(unsigned long n)
{
    int steps = 1;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

int main(void)
{
    uint32_t hash = 2166136261u;
    int primes = sieve(), i, best = 0, at = 0;

    for (i = 1; i < N; i += 1) {
        int s = i < 900 ? collatz(i) : 0;
        if (s > best)
            best = s, at = i;
        hash = (hash ^ (uint32_t)s) * 16777619u;
    }
    printf("%d primes, longest %d (%d), hash %08x\n", primes, at, best, hash);
    return 0;
}
