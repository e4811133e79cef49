/*
 * what: big structs by value in both directions (returned through memory)
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct matrix {
    int cell[3][3];
    char name[16];
};

static struct matrix identity(const char *name)
{
    struct matrix m;
    memset(&m, 0, sizeof m);
    m.cell[0][0] = m.cell[1][1] = m.cell[2][2] = 1; /* @cause */
    strcpy(m.name, name);
    return m;
}

static struct matrix scale(struct matrix m, int by)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j <= i; j++)
            m.cell[i][j] += by; /* @cause */
    return m;
}

static int trace(struct matrix m)
{
    m.cell[0][1] = 99;                                  /* @clean */
    return m.cell[0][0] + m.cell[1][1] + m.cell[2][2]; /* @cause */
}

int main(void)
{
    struct matrix a = identity("unit"), b;
    int t;

    b = scale(a, 5); /* @cause */
    t = trace(b);    /* @cause */
    printf("%s %s %d\n", a.name, b.name, t);
    assert(a.cell[0][1] == 0);
    assert(t == 15); /* @fail */
    return 0;
}
