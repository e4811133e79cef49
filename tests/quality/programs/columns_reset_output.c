/* Sums of columns: the reader does not go back to the first column at the end of a row.
 *
 * stdin: a,b\n1,10\n2,20\n
 * expect: a: sum 3\nb: sum 30\n
 * at: show
 * says: printed ": no numbers" where ": sum 3" was expected
 * says: `counts\[i\] == 0` was true
 * not: "a" where "a"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

static char names[COLUMNS][8], field[8];
static long sums[COLUMNS];
static int counts[COLUMNS], row, col, len;

static void end_field(void)
{
    field[len] = '\0';
    if (col < COLUMNS && row == 0)
        strcpy(names[col], field);
    else if (col < COLUMNS) {
        sums[col] += atol(field);
        counts[col]++;
    }
    len = 0;
    col++;
}

static void show(void)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (names[i][0] == '\0')
            continue;
        if (counts[i] == 0)
            printf("%s: no numbers\n", names[i]);
        else
            printf("%s: sum %ld\n", names[i], sums[i]);
    }
}

int main(void)
{
    int c;
    while ((c = getchar()) != EOF) {
        if (c == ',' || c == '\n')
            end_field();
        else if (len < 7)
            field[len++] = (char)c;
        if (c == '\n')
            row++;
    }
    show();
    return 0;
}
