/*
 * what: two-dimensional VLA parameters: matrix product with swapped indices
 * failure: output
 * expect-stdout: "19 22 43 50\n"
 */
#include <stdio.h>

static void multiply(int n, int m, int p, double a[n][m], double b[m][p], double out[n][p])
{
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < p; j++) {
            out[i][j] = 0;
            for (k = 0; k < m; k++)
                out[i][j] += a[i][k] * b[j][k]; /* @cause */
        }
}

static int count(int rows, int cols, double m[rows][cols])
{
    int n = 0, i;
    for (i = 0; i < rows; i++)
        n += sizeof m[i] / sizeof m[i][0]; /* @clean */
    return n;
}

int main(void)
{
    int n = 2; /* @cause */
    double a[n][n], b[n][n], c[n][n];
    int i, cells;

    for (i = 0; i < 4; i++) {
        a[i / 2][i % 2] = 1 + i; /* @cause */
        b[i / 2][i % 2] = 5 + i; /* @cause */
    }
    cells = count(n, n, c);
    multiply(n, n, n, a, b, c);
    printf("%.0f %.0f %.0f %.0f\n", c[0][0], c[0][1], c[1][0], c[1][1]); /* @fail */
    return cells == 4 ? 0 : 1;
}
