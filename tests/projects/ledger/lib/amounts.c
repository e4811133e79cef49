/* A shared library with a name that it hides. */
#include "ledger.h"
#include <stdlib.h>

__attribute__((visibility("hidden"))) int scale(int value) { return value * UNIT; }

int read_amount(const char *text) { return scale(atoi(text)); }
