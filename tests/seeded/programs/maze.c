// Shortest way through a map read from stdin:  # wall, S start, G goal, digits are gates that open pairwise
// (standing on a digit, one may step to the other cell with the same digit). Prints the map with the way as '*'.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_H 20
#define MAX_W 40
#define CELLS (MAX_H * MAX_W)

typedef struct { int row, col; } Pos;

typedef struct {
    char cell[MAX_H][MAX_W + 2];
    int height;
    int width;
} Map;

static const Pos steps[4] = { { -1, 0 }, { 0, 1 }, { 1, 0 }, { 0, -1 } };

static int distance[MAX_H][MAX_W];
static Pos parent[MAX_H][MAX_W];

static bool read_map(Map *m)
{
    m->height = 0;
    m->width = 0;
    while (m->height < MAX_H && fgets(m->cell[m->height], sizeof m->cell[0], stdin)) {
        char *line = m->cell[m->height];
        int n = (int)strcspn(line, "\n");
        memset(line + n, ' ', sizeof m->cell[0] - n);
        if (n > m->width)
            m->width = n;
        m->height++;
    }
    if (m->width > MAX_W)
        m->width = MAX_W;
    return m->height > 0;
}

static bool find(const Map *m, char what, Pos *at, const Pos *except)
{
    for (int r = 0; r < m->height; r++) {
        for (int c = 0; c < m->width; c++) {
            if (m->cell[r][c] != what)
                continue;
            if (except && except->row == r && except->col == c)
                continue;
            at->row = r;
            at->col = c;
            return true;
        }
    }
    return false;
}

static bool inside(const Map *m, Pos p)
{
    return p.row >= 0 && p.row < m->height && p.col >= 0 && p.col < m->width;
}

static bool is_open(const Map *m, Pos p)
{
    return inside(m, p) && m->cell[p.row][p.col] != '#';
}

static int neighbours(const Map *m, Pos p, Pos out[])
{
    int n = 0;
    for (int i = 0; i < 4; i++) {
        Pos q = { p.row + steps[i].row, p.col + steps[i].col };
        if (is_open(m, q))
            out[n++] = q;
    }
    char here = m->cell[p.row][p.col];
    if (here >= '0' && here <= '9' && find(m, here, &out[n], &p))
        n++;
    return n;
}

static int search(const Map *m, Pos start, Pos goal)
{
    static Pos queue[CELLS];
    int head = 0, tail = 0;

    for (int r = 0; r < MAX_H; r++)
        for (int c = 0; c < MAX_W; c++)
            distance[r][c] = -1;
    distance[start.row][start.col] = 0;
    queue[tail++] = start;
    while (head < tail) {
        Pos p = queue[head++];
        if (p.row == goal.row && p.col == goal.col)
            break;
        Pos next[5];
        int n = neighbours(m, p, next);
        for (int i = 0; i < n; i++) {
            Pos q = next[i];
            if (distance[q.row][q.col] >= 0)
                continue;
            distance[q.row][q.col] = distance[p.row][p.col] + 1;
            parent[q.row][q.col] = p;
            queue[tail++] = q;
        }
    }
    return distance[goal.row][goal.col];
}

static void mark_way(Map *m, Pos start, Pos goal)
{
    Pos p = parent[goal.row][goal.col];
    while (p.row != start.row || p.col != start.col) {
        if (m->cell[p.row][p.col] == ' ' || m->cell[p.row][p.col] == '.')
            m->cell[p.row][p.col] = '*';
        p = parent[p.row][p.col];
    }
}

static int count_reached(const Map *m)
{
    int n = 0;
    for (int r = 0; r < m->height; r++)
        for (int c = 0; c < m->width; c++)
            if (distance[r][c] >= 0)
                n++;
    return n;
}

int main(void)
{
    static Map map;
    Pos start, goal;

    if (!read_map(&map) || !find(&map, 'S', &start, NULL) || !find(&map, 'G', &goal, NULL)) {
        printf("no map\n");
        return 2;
    }
    int length = search(&map, start, goal);
    if (length < 0) {
        printf("no way, %d cells reached\n", count_reached(&map));
        return 1;
    }
    mark_way(&map, start, goal);
    for (int r = 0; r < map.height; r++)
        printf("%.*s|\n", map.width, map.cell[r]);
    printf("%d steps, %d cells reached\n", length, count_reached(&map));
    return 0;
}
