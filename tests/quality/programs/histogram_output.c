/* A histogram: the last bucket is counted with the wrong bound, so that one value lands in the wrong bucket.
 *
 * stdin: 3 10 20 25 30\n
 * expect: 0-9: 1\n10-19: 1\n20-29: 2\n30-39: 1\n
 * at: print_buckets
 * says: printed "2" where "1" was expected
 * says: buckets\[.*\]
 * says: bucket_of|`?buckets
 */
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4
#define WIDTH 10

static int buckets[BUCKETS];

static int bucket_of(int value)
{
    int low = 0;
    for (int k = 0; k < BUCKETS; k++) {
        if (value >= low && value <= low + WIDTH)
            return k;
        low += WIDTH;
    }
    return BUCKETS - 1;
}

static void count(int value)
{
    int k = bucket_of(value);
    buckets[k]++;
}

static void print_buckets(void)
{
    for (int k = 0; k < BUCKETS; k++)
        printf("%d-%d: %d\n", k * WIDTH, (k + 1) * WIDTH - 1, buckets[k]);
}

int main(void)
{
    int value;
    while (scanf("%d", &value) == 1)
        count(value);
    print_buckets();
    return 0;
}
