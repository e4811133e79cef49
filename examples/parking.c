/*
 * Parking fees: reads tickets, one in a line, as "IN OUT CODE" with hours of one day; the code may be a voucher.
 * The fee must never be negative. It has one fault; find an input that shows it:
 *
 *     butfor find examples/parking.c
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PER_HOUR 3
#define MOST 20

static int fee(int in, int out, const char *code)
{
    int hours = out - in;
    int money = hours * PER_HOUR;

    if (money > MOST)
        money = MOST;
    if (strcmp(code, "STAFF") == 0)
        return 0;
    if (strcmp(code, "MARKET") == 0 && hours <= 4)
        money -= 2 * PER_HOUR; /* the first two hours are free */
    return money;
}

int main(void)
{
    char code[16];
    int in, out, total = 0;

    while (scanf("%d %d %15s", &in, &out, code) == 3) {
        int money;
        if (in < 0 || out > 24 || in >= out) {
            printf("not a ticket\n");
            continue;
        }
        money = fee(in, out, code);
        assert(money >= 0);
        total += money;
    }
    printf("%d\n", total);
    return 0;
}
