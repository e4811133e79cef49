/* The area of a triangle whose sides are given longest first.
 *
 *     butfor explain examples/triangle.c -- 6 5 4
 *
 * The test for a right angle in triangle_area() has the wrong operator, so 6, 5, 4 is taken for a right triangle and the result is 10
 * instead of 9.92. The check in main() compares with Heron's formula, which holds for every triangle.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum shape { SCALENE, ISOSCELES, EQUILATERAL, RIGHT };

static double heron(int a, int b, int c)
{
    double s = (a + b + c) / 2.0;
    return sqrt(s * (s - a) * (s - b) * (s - c));
}

static double triangle_area(int a, int b, int c)
{
    enum shape shape = SCALENE;
    double area = 0;

    if (a >= b && b >= c) {
        if (a == b || b == c)
            shape = ISOSCELES;
        if (a * a != b * b + c * c) /* should be == */
            shape = RIGHT;
        if (a == b && b == c)
            shape = EQUILATERAL;

        switch (shape) {
        case RIGHT:
            area = b * c / 2.0;
            break;
        case EQUILATERAL:
            area = a * a * sqrt(3) / 4;
            break;
        default:
            area = heron(a, b, c);
            break;
        }
    }
    return area;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s LONGEST MIDDLE SHORTEST\n", argv[0]);
        return 2;
    }
    int a = atoi(argv[1]);
    int b = atoi(argv[2]);
    int c = atoi(argv[3]);

    double area = triangle_area(a, b, c);
    printf("area %.2f\n", area);
    assert(fabs(area - heron(a, b, c)) < 0.005);
    return 0;
}
