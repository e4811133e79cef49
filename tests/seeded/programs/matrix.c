/* Matrix calculator. Input: "det N rows...", "mul R C rows... R C rows...", "pow N K rows...",
   "solve N rows with the right side as last column", "transpose R C rows...". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int rows, cols;
    double *a;
} Matrix;

#define AT(m, i, j) ((m).a[(i) * (m).cols + (j)])

static void die(const char *what)
{
    printf("error: %s\n", what);
    exit(1);
}

static Matrix make(int rows, int cols)
{
    Matrix m = { rows, cols, calloc((size_t)rows * cols, sizeof(double)) };
    if (m.a == NULL)
        die("no memory");
    return m;
}

static int read_int(int low, int high)
{
    int n;
    if (scanf("%d", &n) != 1 || n < low || n > high)
        die("bad size");
    return n;
}

static Matrix read_matrix(int rows, int cols)
{
    Matrix m = make(rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (scanf("%lf", &AT(m, i, j)) != 1)
                die("number expected");
    return m;
}

static void print_matrix(Matrix m)
{
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++)
            printf("%s%.4g", j > 0 ? " " : "", AT(m, i, j) + 0.0);
        printf("\n");
    }
}

static Matrix multiply(Matrix x, Matrix y)
{
    if (x.cols != y.rows)
        die("sizes do not fit");
    Matrix z = make(x.rows, y.cols);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < y.cols; j++) {
            double sum = 0;
            for (int k = 0; k < x.cols; k++)
                sum += AT(x, i, k) * AT(y, k, j);
            AT(z, i, j) = sum;
        }
    return z;
}

static Matrix transpose(Matrix m)
{
    Matrix t = make(m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            AT(t, j, i) = AT(m, i, j);
    return t;
}

static Matrix power(Matrix m, int k)
{
    Matrix result = make(m.rows, m.rows);
    for (int i = 0; i < m.rows; i++)
        AT(result, i, i) = 1.0;
    while (k > 0) {
        if (k % 2 == 1) {
            Matrix t = multiply(result, m);
            free(result.a);
            result = t;
        }
        Matrix square = multiply(m, m);
        memcpy(m.a, square.a, sizeof(double) * m.rows * m.cols);
        free(square.a);
        k /= 2;
    }
    return result;
}

static void swap_rows(Matrix m, int r, int s)
{
    for (int j = 0; j < m.cols; j++) {
        double t = AT(m, r, j);
        AT(m, r, j) = AT(m, s, j);
        AT(m, s, j) = t;
    }
}

static int pivot_row(Matrix m, int col)
{
    int best = col;
    for (int i = col + 1; i < m.rows; i++)
        if (fabs(AT(m, i, col)) > fabs(AT(m, best, col)))
            best = i;
    return best;
}

/* Brings the matrix to upper triangular form; returns the determinant of its square part. */
static double eliminate(Matrix m)
{
    double det = 1.0;
    for (int c = 0; c < m.rows; c++) {
        int p = pivot_row(m, c);
        if (fabs(AT(m, p, c)) < 1e-12)
            return 0.0;
        if (p != c) {
            swap_rows(m, p, c);
            det = -det;
        }
        det *= AT(m, c, c);
        for (int i = c + 1; i < m.rows; i++) {
            double f = AT(m, i, c) / AT(m, c, c);
            for (int j = c; j < m.cols; j++)
                AT(m, i, j) -= f * AT(m, c, j);
        }
    }
    return det;
}

static void solve(Matrix m)
{
    double x[8];
    if (eliminate(m) == 0.0)
        die("singular");
    for (int i = m.rows - 1; i >= 0; i--) {
        double sum = AT(m, i, m.cols - 1);
        for (int j = i + 1; j < m.rows; j++)
            sum -= AT(m, i, j) * x[j];
        x[i] = sum / AT(m, i, i);
    }
    for (int i = 0; i < m.rows; i++)
        printf("x%d = %.4g\n", i + 1, x[i] + 0.0);
}

int main(void)
{
    char op[16];

    while (scanf("%15s", op) == 1) {
        if (strcmp(op, "det") == 0) {
            int n = read_int(1, 8);
            Matrix m = read_matrix(n, n);
            printf("%.4g\n", eliminate(m) + 0.0);
            free(m.a);
        } else if (strcmp(op, "solve") == 0) {
            int n = read_int(1, 8);
            Matrix m = read_matrix(n, n + 1);
            solve(m);
            free(m.a);
        } else if (strcmp(op, "pow") == 0) {
            int n = read_int(1, 8), k = read_int(0, 20);
            Matrix m = read_matrix(n, n), p = power(m, k);
            print_matrix(p);
            free(m.a);
            free(p.a);
        } else if (strcmp(op, "mul") == 0 || strcmp(op, "transpose") == 0) {
            int r = read_int(1, 8), c = read_int(1, 8);
            Matrix x = read_matrix(r, c), z;
            if (op[0] == 'm') {
                r = read_int(1, 8);
                c = read_int(1, 8);
                Matrix y = read_matrix(r, c);
                z = multiply(x, y);
                free(y.a);
            } else {
                z = transpose(x);
            }
            print_matrix(z);
            free(x.a);
            free(z.a);
        } else {
            die("unknown operation");
        }
    }
    return 0;
}
