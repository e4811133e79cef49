/* One function per kind and width of site; main prints the result of the one that is named. `// @NAME` marks the line of the site. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int global_int = 70;
static double global_real = 0.5;
static char global_text[] = "global";
static int called;
struct pair { int first, second; double real, other; };

static double load_char(void) { signed char v = 5;
  return v; } // @load_char
static double load_uchar(void) { unsigned char v = 200;
  return v; } // @load_uchar
static double load_short(void) { short v = -300;
  return v; } // @load_short
static double load_ushort(void) { unsigned short v = 60000;
  return v; } // @load_ushort
static double load_int(void) { int v = 7, other = 21; (void)other;
  return v; } // @load_int
static double load_uint(void) { unsigned v = 4000000000u;
  return v; } // @load_uint
static double load_long(void) { long v = 1L << 40;
  return v; } // @load_long
static double load_float(void) { float v = 1.5f, other = 2.25f; (void)other;
  return v; } // @load_float
static double load_double(void) { double v = 1.5;
  return v; } // @load_double
static double load_bool(void) { _Bool v = 1;
  return v; } // @load_bool
static double load_pointer(void) { const char *v = "four", *other = "other"; (void)other;
  const char *p = v; // @load_pointer
  return p ? (double)strlen(p) : -1; }
static double store_char(void) { signed char v = 1;
  v = (signed char)called; // @store_char
  return v; }
static double store_int(void) { int v = 1, from = 5;
  v = from; // @store_int
  return v; }
static double store_double(void) { double v = 1, from = 5;
  v = from; // @store_double
  return v; }
static double store_pointer(void) { int a = 1, b = 2, *v = &a;
  v = &b; // @store_pointer
  return *v; }
static double compare_int(void) { int a = -3, b = 4, c = -3;
  return a < b ? c : 9; } // @compare_int
static double compare_equal(void) { int a = 4, b = 4;
  return a < b ? 1 : 2; } // @compare_equal
static double compare_unsigned(void) { unsigned a = 3, b = 4000000000u, c = 2; (void)c;
  return a < b ? 1 : 2; } // @compare_unsigned
static double compare_long(void) { long a = 1L << 40, b = 1L << 41;
  return a > b ? 1 : 2; } // @compare_long
static double compare_char(void) { char a = 'a';
  return a == 'b' ? 1 : 2; } // @compare_char
static double compare_float(void) { float a = 1, b = 2, c = 0; (void)c;
  return a < b ? 1 : 2; } // @compare_float
static double compare_double(void) { double a = 1, b = 2;
  return a >= b ? 1 : 2; } // @compare_double
static double compare_nan(void) { double a = NAN;
  return a == 1 ? 1 : 2; } // @compare_nan
static double compare_pointer(void) { int a[2], *p = a, *q = a + 1;
  return p < q ? 1 : 2; } // @compare_pointer
static double branch(void) { _Bool yes = 1;
  if (yes) // @branch
    return 1;
  return 2; }
static double branch_and(void) { int a = 1, b = 0;
  while (a && b) // @branch_and
    return 1;
  return 2; }
static double add_int(void) { int a = 12, b = 5, c = 100; (void)c;
  return a + b; } // @add_int
static double subtract_int(void) { int a = 12, b = 5;
  return a - b; } // @subtract_int
static double by_zero(void) { int a = 12, b = 0;
  return a + b; } // @by_zero
static double divide_zero(void) { int total = 0;
  for (int b = 2; b >= 0; b--)
    total += 12 / b; // @divide_zero
  return total; }
static double shift_int(void) { int a = -16;
  return a >> 2; } // @shift_int
static double and_char(void) { unsigned char a = 6, b = 3;
  a &= b; // @and_char
  return a; }
static double not_bit(void) { int a = 1;
  return !a; } // @not_bit
static double divide_unsigned(void) { unsigned a = 4000000000u, b = 3;
  return a / b; } // @divide_unsigned
static double multiply_long(void) { long a = 1L << 33, b = 3;
  return a * b; } // @multiply_long
static double multiply_double(void) { double a = 6, b = 1.5, c = 10; (void)c;
  return a * b; } // @multiply_double
static double divide_float(void) { float a = 6, b = 1.5f;
  return a / b; } // @divide_float
static int one(int x) { return x + 1; }
static int ten(int x) { return x + 10; }
static double call_int(void) {
  return one(5); } // @call_int
static void note(void) { called = 1; }
static double call_void(void) {
  note(); // @call_void
  return called; }
static double half(double x) { return x / 2; }
static double call_double(void) { double x = 8;
  return half(x) + 1; } // @call_double
static char *text(void) { return global_text; }
static double call_pointer(void) {
  char *p = text(); // @call_pointer
  return p ? 1 : 2; }
static double sum(int a, unsigned char b, double c, const char *d) { return a + b + c + (d ? 100 : 0); }
static double constants(void) {
  return sum(1, 2, 4.5, NULL); } // @constants
static int constant_result(void) {
  return 4; } // @constant_result
static double returned(void) { return constant_result(); }
static double result_int(void) { const char *s = "5";
  return atoi(s); } // @result_int
static double result_long(void) { const char *s = "word";
  return (double)strlen(s); } // @result_long
static double result_double(void) { double x = 9;
  return sqrt(x); } // @result_double
static double result_pointer(void) { const char *s = "ab";
  return strchr(s, 'b') ? 1 : 2; } // @result_pointer
static double switch_int(void) { int v = 2;
  switch (v) { // @switch_int
    case 1: return 10;
    case 2: return 20;
    case -3: return 30;
    default: return 40; } }
static double switch_long(void) { long v = 1L << 40;
  switch (v) { // @switch_long
    case 1: return 10;
    case 1L << 40: return 20;
    default: return 40; } }
static double element(void) { int a[3] = {1, 2, 3}, k = 1; (void)k;
  return a[1]; } // @element
static double indexed(void) { int a[3] = {1, 2, 3}, i = 1, k = 1; (void)k;
  return a[i]; } // @indexed
static int pointed(int *p) { return *p; }
static double address(void) { int a = 1, b = 2; (void)b;
  return pointed(&a); } // @address
static const int table[] = {6, 10, 20};
static double initial(void) { return table[0] + table[1] + table[2]; }
static double member(void) { struct pair p = {1, 2, 3, 4};
  return p.first + p.real; } // @member
static double rounds(void) { int total = 0, step = 1;
  for (int i = 0; i < 4; i++)
    total = total * 10 + step; // @rounds
  return total; }
static double wide(void) { __int128 a = 5, b = 7;
  a = a * b + 1; // @wide
  return (double)a; }
static double extended(void) { long double a = 5, b = 7;
  a = a * b + 1; // @extended
  return (double)a; }
static double shadowed(void) { int x = 1, use = 3;
  { int x = 2; (void)x; // @inner
    use = use + 0; // @shadowed
  }
  return use + 0 * x + 0 * global_int + 0 * global_real; }

#define F(name) {#name, name}
int main(int argc, char **argv) {
  static const struct { const char *name; double (*run)(void); } all[] = {
      F(load_char), F(load_uchar), F(load_short), F(load_ushort), F(load_int), F(load_uint), F(load_long), F(load_float), F(load_double), F(load_bool),
      F(load_pointer), F(store_char), F(store_int), F(store_double), F(store_pointer), F(compare_int), F(compare_equal), F(compare_unsigned),
      F(compare_long), F(compare_char), F(compare_float), F(compare_double), F(compare_nan), F(compare_pointer), F(branch), F(branch_and), F(add_int),
      F(subtract_int), F(by_zero), F(divide_zero), F(shift_int), F(and_char), F(not_bit), F(divide_unsigned), F(multiply_long), F(multiply_double), F(divide_float), F(call_int),
      F(call_void), F(call_double), F(call_pointer), F(constants), F(returned), F(result_int), F(result_long), F(result_double), F(result_pointer),
      F(switch_int), F(switch_long), F(element), F(indexed), F(address), F(initial), F(member), F(rounds), F(wide), F(extended), F(shadowed)};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i].name, argv[1])) printf("%.17g\n", all[i].run());
  return ten(0) - 10 + (int)half(0);
}
