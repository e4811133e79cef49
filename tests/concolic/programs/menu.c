/*
 * what: a menu of commands; the account can be closed twice
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int choice, amount, balance = 0, is_open = 0;

    while (scanf("%d", &choice) == 1) {
        switch (choice) {
        case 1:
            is_open = 1;
            break;
        case 2:
            if (scanf("%d", &amount) != 1 || amount <= 0)
                return 1;
            if (is_open)
                balance += amount;
            break;
        case 3:
            if (scanf("%d", &amount) != 1 || amount <= 0)
                return 1;
            if (is_open && amount <= balance + 10)
                balance -= amount;
            break;
        case 4:
            assert(balance >= 0); /* @fail */
            is_open = 0;
            break;
        default:
            printf("?\n");
        }
    }
    return 0;
}
