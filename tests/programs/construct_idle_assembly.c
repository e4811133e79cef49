/*
 * what: inline assembly that is empty or a comment: a copy, a barrier, a use
 * args: 5
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

static int hidden(int value) {
    int copy;
    __asm__("# %0" : "=r"(copy) : "0"(value));
    return copy;
}

static char *same(char *text) {
    __asm__("" : "+r"(text));
    return text;
}

static double number(double value) {
    __asm__ volatile("" : "+x"(value));
    return value;
}

int main(int argc, char **argv) {
    int given = argc > 1 ? atoi(same(argv[1])) : 0;
    __asm__ volatile("# a barrier" ::: "memory");
    __asm__ volatile("" ::"r"(given), "m"(given));
    assert(number(hidden(given)) < 5.0);
    return 0;
}
