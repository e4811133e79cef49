/* Loop-heavy: relaxation of a grid, then a checksum by rows. The last row starts too warm because of the seed in `init`. */
#include <assert.h>
#include <stdlib.h>

#define N 48

static double grid[N][N], next[N][N];

static void init(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            grid[i][j] = (i * 7 + j * 3) % 11;
    for (int j = 0; j < N; j++)
        grid[N - 1][j] = 100.0; /* the fault: the border was meant to be 0 */
}

static void sweep(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            next[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            grid[i][j] = next[i][j];
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 1;
    init();
    for (int k = 0; k < sweeps; k++)
        sweep();
    double warmest = 0;
    for (int i = 1; i < N - 1; i++) {
        double row = 0;
        for (int j = 1; j < N - 1; j++)
            row += grid[i][j];
        if (row / (N - 2) > warmest)
            warmest = row / (N - 2);
    }
    assert(warmest < 20);
    return 0;
}
