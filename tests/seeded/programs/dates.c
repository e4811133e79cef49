/* dates - calendar arithmetic (proleptic Gregorian)
 *
 * dates day Y-M-D          day of the week and of the year
 * dates diff Y-M-D Y-M-D   days from the first to the second
 * dates add Y-M-D N        the date N days later (N may be negative)
 * dates age Y-M-D Y-M-D    full years, months and days between
 * dates cal Y-M            a calendar of the month
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int y, m, d; } date_t;

static const char *days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const int month_length[] = { 0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

#define IS_LEAP(y) ((y) % 4 == 0 && ((y) % 100 != 0 || (y) % 400 == 0))

static int days_in_month(int y, int m)
{
    if (m == 2 && IS_LEAP(y))
        return 29;
    return month_length[m];
}

static int days_in_year(int y)
{
    return IS_LEAP(y) ? 366 : 365;
}

static int is_valid(const date_t *t)
{
    if (t->y < 1 || t->y > 9999)
        return 0;
    if (t->m < 1 || t->m > 12)
        return 0;
    return t->d >= 1 && t->d <= days_in_month(t->y, t->m);
}

static int parse(const char *s, date_t *t)
{
    char rest;
    if (sscanf(s, "%d-%d-%d%c", &t->y, &t->m, &t->d, &rest) != 3)
        return 0;
    return is_valid(t);
}

static int day_of_year(date_t t)
{
    int n = t.d;
    for (int m = 1; m < t.m; m++)
        n += days_in_month(t.y, m);
    return n;
}

/* Days since 31 December of the year 0. */
static long day_number(date_t t)
{
    long y = t.y - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year(t);
}

static date_t from_day_number(long n)
{
    date_t t;
    t.y = 1;
    while (n > days_in_year(t.y)) {
        n -= days_in_year(t.y);
        t.y++;
    }
    t.m = 1;
    while (n > days_in_month(t.y, t.m)) {
        n -= days_in_month(t.y, t.m);
        t.m++;
    }
    t.d = (int)n;
    return t;
}

static int weekday(date_t t)
{
    return (int)(day_number(t) % 7);
}

static void age(date_t from, date_t to)
{
    int years = to.y - from.y;
    int months = to.m - from.m;
    int d = to.d - from.d;

    if (d < 0) {
        int pm = to.m == 1 ? 12 : to.m - 1;
        int py = to.m == 1 ? to.y - 1 : to.y;
        int rest = days_in_month(py, pm) - from.d;
        d = to.d + (rest > 0 ? rest : 0);
        months--;
    }
    if (months < 0) {
        months += 12;
        years--;
    }
    printf("%d years, %d months, %d days\n", years, months, d);
}

static void calendar(int y, int m)
{
    date_t first = { y, m, 1 };
    int column = weekday(first);

    printf("%04d-%02d\nSu Mo Tu We Th Fr Sa\n", y, m);
    for (int i = 0; i < column; i++)
        printf("   ");
    for (int d = 1; d <= days_in_month(y, m); d++) {
        printf("%2d", d);
        column++;
        if (column == 7) {
            printf("\n");
            column = 0;
        } else {
            printf(" ");
        }
    }
    if (column != 0)
        printf("\n");
}

static int usage(void)
{
    fprintf(stderr, "usage: dates day|diff|add|age|cal DATE ...\n");
    return 2;
}

int main(int argc, char **argv)
{
    date_t a, b;

    if (argc < 3)
        return usage();
    if (strcmp(argv[1], "cal") == 0) {
        int y, m;
        if (sscanf(argv[2], "%d-%d", &y, &m) != 2 || y < 1 || y > 9999 || m < 1 || m > 12)
            return usage();
        calendar(y, m);
        return 0;
    }
    if (!parse(argv[2], &a)) {
        printf("bad date %s\n", argv[2]);
        return 1;
    }
    if (strcmp(argv[1], "day") == 0) {
        printf("%s, day %d of %d\n", days[weekday(a)], day_of_year(a), days_in_year(a.y));
    } else if (strcmp(argv[1], "add") == 0 && argc == 4) {
        long n = day_number(a) + atol(argv[3]);
        if (n < 1) {
            printf("too early\n");
            return 1;
        }
        b = from_day_number(n);
        printf("%04d-%02d-%02d %.3s\n", b.y, b.m, b.d, days[weekday(b)]);
    } else if (argc == 4 && parse(argv[3], &b)) {
        if (strcmp(argv[1], "diff") == 0)
            printf("%ld days\n", day_number(b) - day_number(a));
        else if (strcmp(argv[1], "age") == 0 && day_number(a) <= day_number(b))
            age(a, b);
        else
            return usage();
    } else {
        return usage();
    }
    return 0;
}
