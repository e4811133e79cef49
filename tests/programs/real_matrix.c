/*
 * what: dense matrices on the heap: product, transpose, LU decomposition with pivoting, determinant
 * libs: -lm
 * failure: assertion
 * message: fabs(det + 79)
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    int rows, cols;
    double *cell;
};

static int allocated;

static struct matrix *matrix_new(int rows, int cols)
{
    struct matrix *m = malloc(sizeof *m);
    m->rows = rows;
    m->cols = cols;
    m->cell = calloc((size_t)rows * cols, sizeof *m->cell);
    allocated++; /* @clean */
    return m;
}

static void matrix_free(struct matrix *m)
{
    if (m) {
        free(m->cell);
        free(m);
    }
}

static double *at(const struct matrix *m, int r, int c)
{
    assert(r >= 0 && r < m->rows && c >= 0 && c < m->cols);
    return &m->cell[r * m->cols + c];
}

static struct matrix *from_values(int n, const double *values)
{
    struct matrix *m = matrix_new(n, n);
    memcpy(m->cell, values, sizeof *values * n * n); /* @cause */
    return m;
}

static struct matrix *copy(const struct matrix *m)
{
    struct matrix *c = matrix_new(m->rows, m->cols);
    memcpy(c->cell, m->cell, sizeof *m->cell * m->rows * m->cols); /* @cause */
    return c;
}

static struct matrix *transpose(const struct matrix *m)
{
    struct matrix *t = matrix_new(m->cols, m->rows);
    int r, c;
    for (r = 0; r < m->rows; r++)
        for (c = 0; c < m->cols; c++)
            *at(t, c, r) = *at(m, r, c);
    return t;
}

static struct matrix *multiply(const struct matrix *a, const struct matrix *b)
{
    struct matrix *p = matrix_new(a->rows, b->cols);
    int i, j, k;
    assert(a->cols == b->rows);
    for (i = 0; i < a->rows; i++)
        for (j = 0; j < b->cols; j++)
            for (k = 0; k < a->cols; k++)
                *at(p, i, j) += *at(a, i, k) * *at(b, k, j);
    return p;
}

static void swap_rows(struct matrix *m, int a, int b)
{
    int c;
    for (c = 0; c < m->cols; c++) {
        double t = *at(m, a, c);
        *at(m, a, c) = *at(m, b, c); /* @cause */
        *at(m, b, c) = t;
    }
}

/* in place; returns the sign of the permutation, 0 if singular */
static int decompose(struct matrix *m)
{
    int n = m->rows, sign = 1, k, r, c;
    for (k = 0; k < n; k++) {
        int pivot = k;
        for (r = k + 1; r < n; r++)
            if (fabs(*at(m, r, k)) > fabs(*at(m, pivot, k))) /* @cause */
                pivot = r;
        if (*at(m, pivot, k) == 0)
            return 0;
        if (pivot != k) { /* the sign is not changed here */
            swap_rows(m, pivot, k); /* @cause */
        }
        for (r = k + 1; r < n; r++) {
            *at(m, r, k) /= *at(m, k, k);
            for (c = k + 1; c < n; c++)
                *at(m, r, c) -= *at(m, r, k) * *at(m, k, c); /* @cause */
        }
    }
    return sign;
}

static double determinant(const struct matrix *m)
{
    struct matrix *lu = copy(m); /* @cause */
    double d = decompose(lu);    /* @cause */
    int i;
    for (i = 0; i < lu->rows; i++)
        d *= *at(lu, i, i); /* @cause */
    matrix_free(lu);
    return d;
}

static double trace(const struct matrix *m)
{
    double t = 0;
    int i;
    for (i = 0; i < m->rows; i++)
        t += *at(m, i, i);
    return t;
}

static void show(const char *name, const struct matrix *m)
{
    int r, c;
    printf("%s\n", name);
    for (r = 0; r < m->rows; r++) {
        for (c = 0; c < m->cols; c++)
            printf("%8.2f", *at(m, r, c));
        putchar('\n');
    }
}

int main(void)
{
    static const double values[16] = { /* @cause */
        1, 2, 0, 1,
        4, 1, 3, 0,
        2, 5, 1, 1,
        0, 3, 2, 6,
    };
    struct matrix *m = from_values(4, values); /* @cause */
    struct matrix *t = transpose(m);
    struct matrix *p = multiply(m, t);
    double det, tr;

    show("product", p);
    tr = trace(p);
    tr *= 0.5; /* @clean */
    det = determinant(m); /* @cause */
    printf("trace %.2f determinant %.2f\n", tr, det);
    matrix_free(m);
    matrix_free(t);
    matrix_free(p);
    assert(fabs(det + 79) < 1e-6 || det == 0); /* @fail */
    return 0;
}
