/*
 * what: nested structs and unions by value and by pointer, arrays inside
 * failure: assertion
 * message: area == 12
 */
#include <assert.h>
#include <stdio.h>

enum kind { CIRCLE, RECT, TEXT };

struct shape {
    enum kind kind;
    union {
        struct {
            int r;
        } circle;
        struct {
            int w, h;
        } rect;
        char text[8];
    } u;
    struct pos {
        short x, y;
    } at[2];
};

static int grown;

static void grow(struct shape *s, int by)
{
    switch (s->kind) {
    case CIRCLE:
        s->u.circle.r += by;
        break;
    case RECT:
        s->u.rect.w += by;
        s->u.rect.h += by; /* @cause */
        break;
    default:
        break;
    }
    s->at[1].x = s->at[0].x + by;
    grown++; /* @clean */
}

static int area(struct shape s)
{
    return s.kind == RECT ? s.u.rect.w * s.u.rect.h : 3 * s.u.circle.r * s.u.circle.r; /* @cause */
}

int main(void)
{
    struct shape all[3] = { /* @cause */
        {CIRCLE, {{2}}, {{1, 1}, {0, 0}}},
        {RECT, .u.rect = {2, 4}, {{5, 6}, {0, 0}}},
        {TEXT, .u.text = "hi", {{0, 0}, {0, 0}}},
    };
    int i, a;

    for (i = 0; i < 3; i++)
        grow(all + i, 1); /* @cause */
    a = area(all[1]);     /* @cause */
    printf("%d %s %d %d\n", area(all[0]), all[2].u.text, a, grown);
    {
        int area = a; /* @cause */
        assert(area == 12); /* @fail */
    }
    return 0;
}
