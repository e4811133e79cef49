"""Failing programs: the examples of cascade fault localization, then one for each feature that the encoding knows."""

from __future__ import annotations

METHODS = {
    "triangle": """enum { SCALENE, ISOSCELES, RIGHT, EQUILATERAL };
int area(int a, int b, int c) {
 int class = SCALENE, area;
 if (a < b || b < c) return -1;
 if (a == b || b == c) class = ISOSCELES;
 if (a * a != b * b + c * c) class = RIGHT;
 if (a == b && b == c) class = EQUILATERAL;
 switch (class) {
 case RIGHT: area = b * c / 2; break;
 case EQUILATERAL: area = a * a * 433 / 1000; break;
 default: area = 9; }
 return area; }
int main(int argc, char **argv) { int s = area(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])); assert(s == 9); return 0; }
""",
    "control": "int main(void) { int x = 0, y = 1; if (y == 1) x = x + 1; assert(x == 0); return 0; }\n",
    "omission": """int main(void) { int a = 2, b = 1, c = 1, d = 0;
 if (a > 0) { if (b < 0) if (c != 2) c = 2; d = c + 3; }
 assert(d == 5); return 0; }
""",
    "pointers": """int main(void) { int x = 2, y = 3; int *p = malloc(2 * sizeof *p); int *pp = p + 1; x = x + 2;
 p[1] = x; p[0] = y;
 if (x > 4) p[0] = 7;
 assert(*pp == 3); return 0; }
""",
}

FURTHER = {
    "arrays": """int t[8]; int main(void) { for (int i = 0; i < 8; i++) t[i] = i * i - 3;
 int k = 2; t[k + 1] += t[k]; assert(t[3] == 0); return 0; }
""",
    "structs": """struct p { char c; short s; int i; long l; }; struct p copy(struct p a) { a.s += 1; return a; }
int main(void) { struct p a = { 1, 2, 3, 4 }; struct p b = a; b.l = a.i; b = copy(b); assert(b.l + b.s == 0);
 return 0; }
""",
    "small structs": """struct q { int x, y; }; struct q make(int x, int y) { struct q r = { x, y }; return r; }
struct three { int a, b, c; }; struct three wide(struct three t) { t.c = t.a - t.b; return t; }
int main(void) { struct q a = make(3, 4); struct three t = { a.x, a.y, 0 }; assert(wide(t).c == 1); return 0; }
""",
    "pointer to pointer": """void set(int **where, int *to) { *where = to; }
int main(void) { int a = 1, b = 2, *p = &a, **q = &p; set(q, &b); **q += 5; assert(b == 2); assert(*p == 7); return 0; }
""",
    "calls": """static int twice(int x) { return 2 * x; } static int apply(int (*f)(int), int x) { return f(x) + 1; }
int main(int argc, char **argv) { int n = atoi(argv[1]); assert(apply(twice, n) == 3); return 0; }
""",
    "recursion": """int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
int main(void) { assert(f(6) == 721); return 0; }
""",
    "loops": """int main(void) { int s = 0; for (int i = 0; i < 10; i++) { if (i % 3 == 0) continue; s += i;
 if (s > 20) break; }
 assert(s == 0); return 0; }
""",
    "short circuit": """int g(int x) { return x > 3; }
int main(void) { int a = 4, b = 0, c = 7; int r = a && (b || g(c)) && !(c == 6); int d = a ? b ? 1 : 2 : 3;
 if ((r || d) && c > 6 && b != 1) r = 9; assert(r == 1 && d == 2); return 0; }
""",
    "chars": """int main(void) { char s[] = "hello"; unsigned char u = 200; signed char v = u; int n = 0;
 for (char *p = s; *p; p++) if (*p == 'l') n++; s[1] = s[0] - 'a' + 'A'; assert(n + v == 0 && s[1] == 'E'); return 0; }
""",
    "unsigned": """int main(void) { unsigned a = 3, b = 5; unsigned d = a - b; unsigned short h = (unsigned short)d;
 unsigned long w = d;
 assert(d < 10 || h / 7 % 5 == 9 || w * w == 4); return 0; }
""",
    "shifts": """int main(void) { int a = -9; unsigned b = 0x80u; long c = 1L << 40; int k = 3;
 assert((a >> k) + (b << k) + (c >> 39) == 0); return 0; }
""",
    "memcpy": """struct s { int a[4]; double d; }; int main(void) { struct s x = { { 1, 2, 3, 4 }, 0.5 }, y;
 char raw[sizeof x];
 memcpy(raw, &x, sizeof x); memmove(raw + 4, raw, 8); memcpy(&y, raw, sizeof y); memset(&y.a[3], 1, 2);
 assert(y.a[2] + y.a[3] == 0); return 0; }
""",
    "unions": """int main(void) { union { int i; unsigned char b[4]; float f; } u; u.i = 0x01020304; u.b[1] = 9;
 assert(u.i == 0x01020304); return 0; }
""",
    "bit-fields": """struct f { unsigned a : 3, b : 7; int c : 5; };
int main(void) { struct f x = { 1, 2, 3 }; x.b += 60; x.c = -x.c; assert(x.b + x.c == 0); return 0; }
""",
    "floats": "int main(void) { double x = 0.1, y = x * 3; float f = (float)y; int n = (int)(f * 10);\n"
    " assert(n == 4 || y == 0.3); return 0; }\n",
    "wide": """int main(int argc, char **argv) { long a = atol(argv[1]), b = a * a, c = b / 7, z = 0;
 __int128 w = (__int128)b * b; long m = z * b;
 assert((long)(w >> 64) + c + m == 0); return 0; }
""",
    "libc": """int main(int argc, char **argv) { char buf[20]; snprintf(buf, sizeof buf, "%s-%d", argv[1], 5);
 char *dash = strchr(buf, '-');
 size_t n = strlen(buf); assert(dash && n == 4); return 0; }
""",
    "callbacks": """static int by(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
int main(void) { int t[3] = { 2, 3, 1 }; qsort(t, 3, sizeof *t, by); assert(t[0] == 1); return 0; }
""",
    "varargs": """static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0;
 while (n--) s += va_arg(ap, int); va_end(ap); return s; }
int main(void) { int a = 4; assert(sum(3, a, 5, 6) == 16); return 0; }
""",
    "switch": """int main(int argc, char **argv) { int r = 0;
 switch (argv[1][0]) { case '1': case '2': r = 4; break; case '3': r = 5; break; default: r = 6; }
 switch (r) { case 4: r += 10; case 5: r *= 2; } assert(r == 5); return 0; }
""",
    "longjmp": """jmp_buf env; int main(void) { volatile int n = 1; int r = setjmp(env); if (r < 3) { n += r;
 longjmp(env, r + 1); }
 assert(n + r == 0); return 0; }
""",
    "atomics": """int c; int main(void) { c = 3; __atomic_fetch_add(&c, 4, 5); int old = __atomic_fetch_sub(&c, 2, 5);
 assert(c + old == 0); return 0; }
""",
    "crash": """int *pick(int k) { static int a; return k > 2 ? &a : 0; }
int main(int argc, char **argv) { int *p = pick(argc); *p = 1; return 0; }
""",
    "bounds": "int main(void) { int a[4] = { 0 }, n = 4, s = 0; for (int i = 0; i <= n; i++) s += a[i]; return s; }\n",
}
ARGS = {"triangle": ["6", "5", "4"], "calls": ["4"], "wide": ["3000000019"], "libc": ["abc"], "switch": ["2"]}
