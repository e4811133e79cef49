/* Matrix code with an off-by-one in the inner loop: it writes one column too many on the heap.
 *
 * args: 3 4
 * at: fill
 * says: (element 12|48 bytes|too many|12 of)
 * says: `(col|row)`.*became
 * says: it went on because `col <= m->cols` was true with col = 4
 * says: made here
 * not: heap block
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int rows, cols;
    int *cells;
};

static struct matrix *matrix_new(int rows, int cols)
{
    struct matrix *m = malloc(sizeof *m);
    assert(m != NULL);
    m->rows = rows;
    m->cols = cols;
    m->cells = malloc(rows * cols * sizeof(int));
    assert(m->cells != NULL);
    return m;
}

static void matrix_delete(struct matrix *m)
{
    free(m->cells);
    free(m);
}

static void matrix_set(struct matrix *m, int row, int col, int value)
{
    m->cells[row * m->cols + col] = value;
}

static int matrix_get(const struct matrix *m, int row, int col)
{
    return m->cells[row * m->cols + col];
}

static void fill(struct matrix *m)
{
    for (int row = 0; row < m->rows; row++)
        for (int col = 0; col <= m->cols; col++)
            m->cells[row * m->cols + col] = row * 10 + col;
}

static int trace_of(const struct matrix *m)
{
    int sum = 0;
    int n = m->rows < m->cols ? m->rows : m->cols;
    for (int k = 0; k < n; k++)
        sum += matrix_get(m, k, k);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    struct matrix *m = matrix_new(atoi(argv[1]), atoi(argv[2]));
    fill(m);
    matrix_set(m, 0, 0, 7);
    printf("trace %d\n", trace_of(m));
    matrix_delete(m);
    return 0;
}
