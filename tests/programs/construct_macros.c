/*
 * what: function-like macros without parentheses, macro constants, X macros, stringification
 * failure: assertion
 * message: area == 35
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define AREA(w, h) w * h
#define BORDER 1
#define COLOURS X(RED) X(GREEN) X(BLUE)
#define NAME(x) #x

enum colour {
#define X(c) c,
    COLOURS
#undef X
};

static const char *const names[] = {
#define X(c) NAME(c),
    COLOURS
#undef X
};

int main(void)
{
    int width = 6, height = 4; /* @cause */
    int area;
    size_t n;

    n = strlen(names[GREEN]);                       /* @clean */
    area = AREA(width + BORDER, height + BORDER);   /* @cause */
    printf("%s %d %d\n", names[BLUE], (int)n, area);
    assert(area == 35); /* @fail */
    return 0;
}
