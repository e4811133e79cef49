/* A static library. The fault: the last amount is left out. */
#include "ledger.h"

int average(const int *amounts, int count) {
    int sum = 0;
    for (int i = 0; i < count - 1; i++)
        sum = add(sum, amounts[i]);
    return sum / count;
}
