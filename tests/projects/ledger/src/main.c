#include "ledger.h"
#include <assert.h>
#include <stdio.h>

static int started;

static __attribute__((constructor)) void start(void) { started = 1; }

static int scale(int value) { return value / UNIT; } /* another one than the library's */

int main(int argc, char **argv) {
    int amounts[MAX_AMOUNTS], count = 0, least = 0;
    assert(started);
    for (int i = 1; i < argc && count < MAX_AMOUNTS; i++) {
        amounts[count] = read_amount(argv[i]);
        if (count == 0 || amounts[count] < least)
            least = amounts[count];
        count++;
    }
    int result = count ? average(amounts, count) : 0;
    assert(result >= least);
    printf("%d\n", scale(result));
    return 0;
}
