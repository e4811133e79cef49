/*
 * what: C11 atomics in one thread: fetch_add, exchange, compare_exchange, flags
 * cflags: -std=gnu11
 * failure: assertion
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int tickets = 10;
static _Atomic long served;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static int sell(int want)
{
    int have = atomic_load(&tickets);
    do {
        if (have < want - 4) /* @cause */
            return 0;
    } while (!atomic_compare_exchange_strong(&tickets, &have, have - want)); /* @cause */
    served += want; /* @clean */
    return want;
}

int main(void)
{
    int old;
    while (atomic_flag_test_and_set(&lock))
        ;
    sell(4); /* @cause */
    sell(3); /* @cause */
    sell(5); /* @cause */
    atomic_flag_clear(&lock);
    old = atomic_exchange(&tickets, atomic_load(&tickets)); /* @cause */
    atomic_fetch_or(&served, 1L); /* @clean */
    printf("%d %ld\n", old, (long)served);
    assert(old >= 0); /* @fail */
    return 0;
}
