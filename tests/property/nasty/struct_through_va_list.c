/* A struct taken from a va_list, where a later frame will be. */
#include <stdarg.h>
#include <stdio.h>
struct B { long a[4]; };
static long f(int n, ...) { va_list ap; va_start(ap, n); struct B b = va_arg(ap, struct B); va_end(ap); return b.a[3]; }
static int use(int *x) { return x[3]; }
static int below(void) { int x[400] = {0}; return use(x); }
int main(void) { struct B b = {{1, 2, 3, 4}}; long r = f(1, b); below(); printf("%ld\n", r); return 0; }
