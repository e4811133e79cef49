/* numeric - roots, integrals and least squares
 *
 *   numeric root  LO HI c0 c1 c2 ...      root of the polynomial by bisection, then Newton
 *   numeric area  LO HI N c0 c1 ...       integral by Simpson's rule with N (even) steps
 *   numeric fit   x1,y1 x2,y2 ...         line of least squares
 *   numeric sqrt  X                       square root by Heron's method
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXC 10
#define EPS 1e-9

struct function {
    double c[MAXC];
    int n;
};

static double value(const struct function *f, double x)
{
    double y = 0.0;
    int i;
    for (i = f->n - 1; i >= 0; i--)
        y = y * x + f->c[i];
    return y;
}

static struct function derivative(const struct function *f)
{
    struct function d = { { 0 }, 0 };
    int i;
    for (i = 1; i < f->n; i++)
        d.c[d.n++] = i * f->c[i];
    return d;
}

/* Halves the interval until it is shorter than `width`. */
static double bisect(const struct function *f, double *lo, double *hi, double width)
{
    double flo = value(f, *lo);
    while (*hi - *lo > width) {
        double mid = (*lo + *hi) / 2;
        double fmid = value(f, mid);
        if ((flo < 0) == (fmid < 0)) {
            *lo = mid;
            flo = fmid;
        } else {
            *hi = mid;
        }
    }
    return (*lo + *hi) / 2;
}

static double newton(const struct function *f, double x, int *rounds)
{
    struct function d = derivative(f);
    *rounds = 0;
    while (*rounds < 50) {
        double slope = value(&d, x);
        double step;
        if (fabs(slope) < EPS)
            break;
        step = value(f, x) / slope;
        x -= step;
        ++*rounds;
        if (fabs(step) < EPS)
            break;
    }
    return x;
}

static int find_root(const struct function *f, double lo, double hi)
{
    double flo = value(f, lo), fhi = value(f, hi), x;
    int rounds;

    if (lo > hi || flo * fhi > 0) {
        printf("no change of sign\n");
        return 1;
    }
    x = bisect(f, &lo, &hi, 0.01);
    x = newton(f, x, &rounds);
    assert(x >= lo - 0.02 && x <= hi + 0.02);
    printf("root %.6f in [%.3f, %.3f]\n", x + 0.0, lo + 0.0, hi + 0.0);
    return 0;
}

static double simpson(const struct function *f, double a, double b, int steps)
{
    double h = (b - a) / steps;
    double sum = value(f, a) + value(f, b);
    int i;
    for (i = 1; i < steps; i++)
        sum += value(f, a + i * h) * (i % 2 == 1 ? 4 : 2);
    return sum * h / 3;
}

static int fit_line(char **points, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, det, slope, offset, r;
    int i;

    for (i = 0; i < n; i++) {
        char *end;
        double x = strtod(points[i], &end), y;
        if (*end != ',')
            return 2;
        y = strtod(end + 1, NULL);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    det = n * sxx - sx * sx;
    if (fabs(det) < EPS) {
        printf("no line\n");
        return 1;
    }
    slope = (n * sxy - sx * sy) / det;
    offset = (sy - slope * sx) / n;
    printf("y = %.4f x %c %.4f", slope, offset < 0 ? '-' : '+', fabs(offset));
    r = n * syy - sy * sy;
    if (r > EPS)
        printf(", r2 = %.4f", slope * slope * det / r);
    printf("\n");
    return 0;
}

static double heron(double x)
{
    double guess = x > 1 ? x : 1;
    if (x == 0)
        return 0;
    while (guess * guess - x > EPS * (x + 1))
        guess = (guess + x / guess) / 2;
    return guess;
}

static void read_function(struct function *f, char **text, int n)
{
    f->n = n < MAXC ? n : MAXC;
    for (int i = 0; i < f->n; i++)
        f->c[i] = atof(text[i]);
}

int main(int argc, char **argv)
{
    struct function f;

    if (argc >= 5 && strcmp(argv[1], "root") == 0) {
        read_function(&f, argv + 4, argc - 4);
        return find_root(&f, atof(argv[2]), atof(argv[3]));
    }
    if (argc >= 6 && strcmp(argv[1], "area") == 0) {
        int steps = atoi(argv[4]);
        if (steps < 2 || steps % 2 != 0)
            return 2;
        read_function(&f, argv + 5, argc - 5);
        printf("area %.6f\n", simpson(&f, atof(argv[2]), atof(argv[3]), steps) + 0.0);
        return 0;
    }
    if (argc >= 3 && strcmp(argv[1], "fit") == 0)
        return fit_line(argv + 2, argc - 2);
    if (argc == 3 && strcmp(argv[1], "sqrt") == 0 && atof(argv[2]) >= 0) {
        printf("%.6f\n", heron(atof(argv[2])));
        return 0;
    }
    fprintf(stderr, "usage: numeric root|area|fit|sqrt ...\n");
    return 2;
}
