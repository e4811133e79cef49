/*
 * what: many shapes of structs by value, as parameters, results and through function pointers; does not fail
 * expect-stdout: "6 3.5 10 7 21 45 a1b 13.5 ok\n"
 * failure: none
 */
#include <stdio.h>
#include <string.h>

struct c1 { char a; };
struct c3 { char a, b, c; };
struct fi { float f; int i; };
struct dl { double d; long l; };
struct ff3 { float x, y, z; };
struct arr { int v[9]; };
struct nest { struct c3 c; struct fi f; };
union u { long l; double d; char c[8]; };
struct empty_tail { int n; long double ld; };

static struct c3 mk3(char a, char b, char c) { struct c3 r = {a, b, c}; return r; }
static int sum3(struct c3 c) { return c.a + c.b + c.c; }
static struct fi mkfi(float f, int i) { return (struct fi){f, i}; }
static struct dl mkdl(double d, long l) { return (struct dl){d, l}; }
static struct ff3 cross(struct ff3 a, struct ff3 b)
{
    struct ff3 r;
    r.x = a.y * b.z - a.z * b.y;
    r.y = a.z * b.x - a.x * b.z;
    r.z = a.x * b.y - a.y * b.x;
    return r;
}
static struct arr ramp(int n)
{
    struct arr a;
    int i;
    for (i = 0; i < 9; i++)
        a.v[i] = i * n;
    return a;
}
static int many(struct c1 a, struct dl b, struct arr c, struct fi d, int e, long f, struct dl g, struct c3 h)
{
    int i, s = a.a + (int)b.d + (int)b.l + (int)d.f + d.i + e + (int)f + (int)g.l + sum3(h);
    for (i = 0; i < 9; i++)
        s += c.v[i];
    return s;
}
static struct nest wrap(struct c3 c, struct fi f) { struct nest n = {c, f}; return n; }
static union u mku(long l) { union u u; u.l = l; return u; }
static struct empty_tail tail(struct empty_tail t) { t.ld *= t.n; return t; }

int main(void)
{
    struct c3 (*make)(char, char, char) = mk3;
    struct c3 c = make(1, 2, 3);
    struct fi f = mkfi(3.5f, 10);
    struct dl d = mkdl(2.0, 5);
    struct ff3 x = {1, 2, 3}, y = {4, 5, 6}, z = cross(x, y);
    struct arr a = ramp(1), b;
    struct nest n = wrap(mk3('a', '1', 'b'), f);
    union u u = mku(0x41);
    struct empty_tail t = {3, 4.5L};
    int i, s = 0;

    b = a;
    for (i = 0; i < 9; i++)
        s += b.v[i];
    s += many((struct c1){1}, d, ramp(0), mkfi(1, 1), 0, 0, mkdl(0, 0), mk3(0, 0, -1));
    t = tail(t);
    printf("%d %.1f %d %d %d %d %.3s %.1Lf %s\n", sum3(c), f.f, f.i, (int)(d.d + d.l), (int)(z.y * 3 - z.x),
           s, &n.c.a, t.ld, u.c[0] == 'A' && n.f.i == 10 ? "ok" : "bad");
    return 0;
}
