/*
 * what: struct of two floats (one register), struct of two doubles, struct of float and int
 * failure: output
 * expect-stdout: "(4.0, 6.0) 10.0 tag 7\n"
 */
#include <stdio.h>

struct vec {
    float x, y;
};

struct dvec {
    double x, y;
};

struct tagged {
    float f;
    int tag;
};

static struct vec add(struct vec a, struct vec b)
{
    struct vec r = {a.x + b.x, a.y + b.x}; /* @cause */
    return r;
}

static struct dvec widen(struct vec v)
{
    struct dvec d = {v.x, v.y};
    return d;
}

static struct tagged tag(float f, int t)
{
    return (struct tagged){f, t};
}

int main(void)
{
    struct vec p = {1.0f, 2.0f}, q = {3.0f, 4.0f}; /* @cause */
    struct vec s = add(p, q);                      /* @cause */
    struct dvec d = widen(s);                      /* @cause */
    struct tagged t = tag(s.x, 7);                 /* @clean */

    printf("(%.1f, %.1f) %.1f tag %d\n", d.x, d.y, d.x + d.y, t.tag); /* @fail */
    return 0;
}
