/* Each variable of main is printed as `name=value`, and butfor must show it the same way. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum color { RED, GREEN = 5, BLUE, NONE = -1 };
static const char *color_name(enum color c) { return c == RED ? "RED" : c == GREEN ? "GREEN" : c == BLUE ? "BLUE" : c == NONE ? "NONE" : "?"; }
union value { int n; double d; struct { int tag; char *name; long id; } s; unsigned char raw[24]; };
struct flags { unsigned a : 3; int b : 5; unsigned c : 1; long wide : 40; enum color k : 4; };
struct point { short x, y; };
struct line { struct point from, to; double len; };
struct inner { union { int i; float f; }; struct { char tag; const char *text; }; };
struct list { int n; struct list *next; struct point items[]; };
typedef int (*fn)(int);
static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static struct line make(short k) { struct line l = {{k, (short)(k + 1)}, {(short)-k, 7}, k / 4.0}; return l; }
static struct point swap(struct point p) { struct point q = {p.y, p.x}; return q; }
static long add_up(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long sum = 0;
  for (int i = 0; i < n; i++) sum += i % 2 ? (long)va_arg(ap, double) : va_arg(ap, int);
  va_end(ap);
  return sum;
}

#define P(name, format, value) printf(#name "=" format "\n", value)

int main(int argc, char **argv) {
  const char *program = argv[0];
  P(program, "\"%s\"", program);
  const char *base = strrchr(argv[0], '/') + 1;
  P(base, "\"%s\"", base);
  const char *word = argv[1] + 1;
  P(word, "\"%s\"", word);
  union value u;
  memset(&u, 0, sizeof u);
  u.s.tag = 3;
  u.s.name = "joe";
  u.s.id = -4;
  int tag = u.s.tag;
  P(tag, "%d", tag);
  char *name = u.s.name;
  P(name, "\"%s\"", name);
  long id = u.s.id;
  P(id, "%ld", id);
  P(u.s.id, "%ld", u.s.id);
  union value v;
  v.d = 2.5;
  double d = v.d;
  P(d, "%.1f", d);
  struct flags f = {5, -3, 1, -7, NONE};
  int field = f.b;
  P(field, "%d", field);
  f.b = 9;
  P(f.b, "%d", f.b);
  f.a = 13;
  P(f.a, "%d", f.a);
  f.wide = -123456789012;
  P(f.wide, "%ld", (long)f.wide);
  f.k = BLUE;
  P(f.k, "%s", color_name(f.k));
  struct line l = make(9);
  short y = l.from.y;
  P(y, "%d", y);
  struct point p = swap(l.to);
  p.x++;
  P(p.x, "%d", p.x);
  enum color c = BLUE;
  P(c, "%s", color_name(c));
  c = NONE;
  P(c, "%s", color_name(c));
  fn g = argc > 1 ? twice : half;
  P(g, "%s", g == twice ? "twice" : "half");
  int r = g(4);
  P(r, "%d", r);
  long double ld = 1.25L * 3;
  P(ld, "%.19Lg", ld);
  float fl = 0.1f;
  P(fl, "%g", fl);
  fl = fl * 3;
  P(fl, "%g", fl);
  double inf = 1e308 * 10;
  P(inf, "%f", inf);
  const wchar_t *w = L"w\u00e9";
  P(w, "%s", w[1] == 0xe9 ? "L\"w\xc3\xa9\"" : "?");
  const char *odd = "a\xff\"b\n\\";
  P(odd, "\"%s\"", "a\\xff\\\"b\\n\\\\");
  int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int *row = m[1];
  P(row, "%s", row == &m[1][0] ? "&m[1][0]" : "?");
  row[2] = 60;
  P(row[2], "%d", m[1][2]);
  struct inner in;
  in.f = 1.5f;
  P(in.f, "%g", in.f);
  in.text = "inside";
  P(in.text, "\"%s\"", in.text);
  in.i = 7;
  P(in.i, "%d", in.i);
  struct list *list = malloc(sizeof *list + 2 * sizeof list->items[0]);
  list->items[1].y = -12;
  P(list->items[1].y, "%d", list->items[1].y);
  list->next = list;
  struct list *next = list->next;
  next->n = 8;
  P(next->n, "%d", list->n);
  signed char sc = -5;
  P(sc, "%d", sc);
  unsigned char uc = 200;
  P(uc, "%d", uc);
  char ch = 'x';
  P(ch, "%d 'x'", ch);
  unsigned long long big = 18446744073709551615ULL;
  P(big, "%llu", big);
  _Bool yes = argc > 0;
  P(yes, "%s", yes ? "true" : "false");
  long sum = add_up(4, 1, 2.5, 3, 4.0);
  P(sum, "%ld", sum);
  __int128 wide = (__int128)1 << 70;
  P(wide, "%s", "1180591620717411303424");
  void *nothing = NULL;
  P(nothing, "%s", nothing ? "?" : "NULL");
  static struct point here = {3, 4};
  here.y *= 2;
  P(here.y, "%d", here.y);
  struct point *at = &here;
  P(at, "%s", at == &here ? "&here" : "?");
  argv[1][0] = 'X';
  const char *changed = argv[1];
  P(changed, "%s", changed == argv[1] ? "&argv[1][0]" : "?");
  return 0;
}
