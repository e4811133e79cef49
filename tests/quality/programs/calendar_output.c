/* Days between two dates; February of a leap year is counted with 28 days because of a wrong test of centuries.
 *
 * args: 2000 3 1
 * expect: day 61 of 2000\n
 * at: main
 * says: printed "60" where "61" was expected
 * says: days_in
 * says: is_leap
 */
#include <stdio.h>
#include <stdlib.h>

static int is_leap(int year)
{
    if (year % 4 != 0)
        return 0;
    if (year % 100 == 0)
        return 0;
    if (year % 400 == 0)
        return 1;
    return 1;
}

static int days_in(int year, int month)
{
    switch (month) {
    case 2:
        return is_leap(year) ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        return 31;
    }
}

static int day_of_year(int year, int month, int day)
{
    int result = day;
    int m = 1;
    while (m < month) {
        result += days_in(year, m);
        m++;
    }
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: calendar YEAR MONTH DAY\n", stderr);
        return 2;
    }
    int year = atoi(argv[1]);
    int month = atoi(argv[2]);
    int day = atoi(argv[3]);
    printf("day %d of %d\n", day_of_year(year, month, day), year);
    return 0;
}
