/*
 * what: arrays of arrays, pointers to arrays, index expressions both ways
 * failure: output
 * expect-stdout: "12 15 18\n"
 */
#include <stdio.h>

static int grid[3][3] = { /* @cause */
    {1, 2, 3},
    {4, 5, 6},
    {7, 8, 8}, /* should end in 9 */
};

static int column(int (*rows)[3], int n, int c)
{
    int sum = 0, i;
    for (i = 0; i < n; i++)
        sum += (*(rows + i))[c]; /* @cause */
    return sum;
}

int main(void)
{
    int cube[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    int sums[3], c, corner;

    corner = 1 [cube[1]][1]; /* @clean */
    for (c = 0; c < 3; c++)
        sums[c] = column(grid, 3, c);                 /* @cause */
    printf("%d %d %d\n", sums[0], sums[1], sums[2]); /* @fail */
    return corner == 8 ? 0 : 1;
}
