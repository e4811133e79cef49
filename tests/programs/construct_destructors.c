/*
 * what: destructors run after main and after what atexit registered, and one of them fails
 * args:
 * failure: assertion
 */
#include <stdlib.h>

static int left;

static void leave(void)
{
    left = 1;
}

__attribute__((destructor)) static void check_left(void)
{
    if (left)
        abort();
}

int main(void)
{
    atexit(leave);
    return 0;
}
