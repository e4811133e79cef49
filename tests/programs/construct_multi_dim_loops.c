/*
 * what: loops over several dimensions with break and continue; game of life on a torus
 * failure: output
 * expect-stdout: ".....\n..#..\n..#..\n..#..\n.....\n"
 */
#include <stdio.h>

#define N 5

static char world[2][N][N];
static int births;

static int neighbours(char (*w)[N], int y, int x)
{
    int n = 0, dy, dx;
    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++) {
            if (dy == 0 || dx == 0) /* @cause */
                continue;
            n += w[(y + dy + N) % N][(x + dx + N) % N]; /* @cause */
        }
    return n;
}

static void step(int from)
{
    int y, x;
    for (y = 0; y < N; y++)
        for (x = 0; x < N; x++) {
            int n = neighbours(world[from], y, x);                        /* @cause */
            world[!from][y][x] = n == 3 || (n == 2 && world[from][y][x]); /* @cause */
            if (world[!from][y][x] && !world[from][y][x])
                births++;
        }
}

int main(void)
{
    int y, x;
    long cells = 0;
    for (x = 1; x < 4; x++)
        world[0][2][x] = 1; /* @cause */
    step(0);
    for (y = 0; y < N; y++) {
        for (x = 0; x < N; x++) {
            cells += y * x; /* @clean */
            putchar(world[1][y][x] ? '#' : '.'); /* @fail */
        }
        putchar('\n');
    }
    return 0;
}
