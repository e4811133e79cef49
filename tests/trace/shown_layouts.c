/* Each variable is printed as `name=value`, and butfor must show it the same way: layouts of structs, unions and bit fields. */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#define P(name, format, value) printf(#name "=" format "\n", value)
typedef struct { int a; struct { int b, c; } in; } pair;
typedef union { uint32_t word; uint8_t byte[4]; struct { uint16_t lo, hi; } half; } reg;
struct packed { char c; int i; short s; } __attribute__((packed));
enum flags { F_A = 1, F_B = 2, F_C = 4 };
struct bits { bool on : 1; unsigned : 3; unsigned n : 4; signed s : 2; };
struct tree { struct tree *left, *right; int key; };
struct deep { struct { union { int x; float y; } u; int t; } arr[2]; };
struct ops { int (*f)(int); const char *name; };
static int inc(int x) { return x + 1; }
static pair make(int x) { pair p = {x, {x + 1, x + 2}}; return p; }
static int sum(pair p) { p.in.c += 5; P(p.in.c, "%d", p.in.c); return p.a + p.in.b + p.in.c; }
static reg swapped(reg r) { reg q; q.half.lo = r.half.hi; q.half.hi = r.half.lo; P(q.half.hi, "%d", q.half.hi); return q; }
static double mean(const double *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s / n; }
int main(void) {
  pair p = make(3);
  p.in.b = 9;
  P(p.in.b, "%d", p.in.b);
  int t = sum(p);
  P(t, "%d", t);
  reg r;
  r.word = 0x11223344;
  P(r.word, "%u", r.word);
  r.byte[1] = 0xff;
  P(r.byte[1], "%u", r.byte[1]);
  r.half.hi = 7;
  P(r.half.hi, "%u", r.half.hi);
  reg q = swapped(r);
  q.half.lo++;
  P(q.half.lo, "%u", q.half.lo);
  struct packed k = {'a', -5, 3};
  k.i -= 2;
  P(k.i, "%d", k.i);
  k.s = -1;
  P(k.s, "%d", k.s);
  enum flags f = F_A | F_C;
  P(f, "%d", f);
  struct bits b = {0};
  b.on = true;
  P(b.on, "%s", b.on ? "true" : "false");
  b.n = 13;
  P(b.n, "%d", b.n);
  b.s = -2;
  P(b.s, "%d", b.s);
  b.n++;
  P(b.n, "%d", b.n);
  struct tree leaf = {0, 0, 4}, root = {&leaf, 0, 2};
  struct tree *l = root.left;
  P(l, "%s", l == &leaf ? "&leaf" : "?");
  l->key *= 3;
  P(l->key, "%d", l->key);
  root.right = root.left;
  P(root.right, "%s", root.right == &leaf ? "&leaf" : "?");
  struct deep d;
  d.arr[1].u.y = 2.5f;
  P(d.arr[1].u.y, "%g", d.arr[1].u.y);
  d.arr[1].t = 6;
  P(d.arr[1].t, "%d", d.arr[1].t);
  int n = 1;
  d.arr[n].u.x = 77;
  P(d.arr[n].u.x, "%d", d.arr[n].u.x);
  struct ops o = {inc, "inc"};
  o.f = inc;
  P(o.f, "%s", o.f == inc ? "inc" : "?");
  int z = o.f(4);
  P(z, "%d", z);
  double v[3] = {1, 2, 4.5};
  double m = mean(v, 3);
  P(m, "%.1f", m);
  double complex c = 1.0 + 2.0 * I;
  double im = cimag(c);
  P(im, "%.1f", im);
  char buf[8] = "abc";
  buf[1] = 'Z';
  P(buf[1], "%d 'Z'", buf[1]);
  char *s = buf + 1;
  P(s, "%s", s == &buf[1] ? "\"Zc\"" : "?");
  unsigned short us = 65535;
  us++;
  P(us, "%u", us);
  int8_t i8 = -128;
  i8--;
  P(i8, "%d", i8);
  uint64_t u64 = 1ull << 63;
  P(u64, "%lu", u64);
  size_t len = strlen(buf);
  P(len, "%zu", len);
  float nan = 0.0f / 0.0f;
  P(nan, "%s", nan != nan ? "nan" : "?");
  double neg = -0.0;
  P(neg, "%.1f", neg);
  float tiny = 1e-42f;
  P(tiny, "%s", tiny > 0 ? "1e-42" : "?");
  int arr[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  arr[1][0][1] += 10;
  P(arr[1][0][1], "%d", arr[1][0][1]);
  int (*pa)[2] = arr[1];
  P(pa, "%s", (void *)pa == (void *)&arr[1][0][0] ? "&arr[1][0][0]" : "?");
  void *vp = &p.in;
  P(vp, "%s", vp == (void *)&p.in ? "&p.in" : "?");
  int *ip = &p.in.c;
  *ip = 44;
  P(*ip, "%d", p.in.c);
  long lng = (long)-1;
  P(lng, "%ld", lng);
  char neg_char = -7;
  P(neg_char, "%d", neg_char);
  unsigned un = 3000000000u;
  P(un, "%u", un);
  int cond = un > 5 && lng < 0;
  P(cond, "%d", cond);
  pair pairs[2] = {{1, {2, 3}}, {4, {5, 6}}};
  pair copy = pairs[1];
  copy.in.b++;
  P(copy.in.b, "%d", copy.in.b);
  pair *pp = &pairs[1];
  P(pp, "%s", pp == &pairs[1] ? "&pairs[1]" : "?");
  pp->in.c = pp->in.b * 2;
  P(pp->in.c, "%d", pp->in.c);
  return 0;
}
