#include "unit.h" /* generated */

#define MAX_AMOUNTS 16

int add(int, int);
int average(const int *amounts, int count);
int read_amount(const char *text);
