/* what: centuries are taken for leap years
 * args: "1900"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

static int days(int year) {
    int days = 365;
    if (year % 4 == 0)
        days = 366;
    return days;
}

int main(int argc, char **argv) {
    int year = argc > 1 ? atoi(argv[1]) : 2000;
    int d = days(year);
    if (year % 100 == 0 && year % 400 != 0)
        assert(d == 365);
    return 0;
}
