/*
 * what: a date read by sscanf; the leap day of a year that is no leap year
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

static int days_in(int month, int year)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month == 2 && year % 4 == 0)
        return 29;
    return days[month - 1];
}

int main(int argc, char **argv)
{
    int year, month, day;

    if (argc < 2 || sscanf(argv[1], "%d-%d-%d", &year, &month, &day) != 3)
        return 1;
    if (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1 || day > days_in(month, year))
        return 1;
    assert(!(month == 2 && day == 29 && year % 100 == 0 && year % 400 != 0)); /* @fail */
    return 0;
}
