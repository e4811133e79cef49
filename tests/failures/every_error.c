/* One error in each function, beside a correct twin: `by` is 1 for the error and 0 for the twin. The table at the end names the kind of failure
   and its detail; AddressSanitizer with UBSan or valgrind sees each of them, except those marked "ours". */
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sink;
static int table[4] = {1, 2, 3, 4};
static int after_table = 5;
struct record { char name[8]; int age; char tail[4]; };
struct matrix { int cell[2][3]; int sum; };
static struct { int first[2]; char name[4]; struct { int grid[2][2], last; } in; int end; } shared;
struct node { struct node *next; char name[4]; union { char raw[4]; int n; } u; int id; };
struct packet { int length; char data[1]; };

static void heap_read_over(int by) { int *p = calloc(4, sizeof *p); sink = p[3 + by]; free(p); }
static void heap_write_over(int by) { char *p = malloc(8); p[7 + by] = 1; sink = p[7]; free(p); }
static void heap_write_under(int by) { int *p = calloc(4, sizeof *p); p[0 - by] = 1; free(p); }
static void stack_read_over(int by) { int a[3] = {1, 2, 3}; sink = a[2 + by]; }
static void stack_write_over(int by) { int b = 0, a[3] = {0}; a[2 + by] = 7; sink = a[0] + b; }
static void stack_write_under(int by) { int a[3] = {0}; int *p = a; p[-by] = 7; sink = a[0]; }
static void global_read_over(int by) { sink = table[3 + by] + after_table; }
static void global_write_over(int by) { table[3 + by] = 4; }
static void use_after_free_read(int by) { int *p = malloc(sizeof *p); *p = 3; if (by) free(p); sink = *p; if (!by) free(p); }
static void use_after_free_write(int by) { int *p = malloc(sizeof *p); *p = 3; if (by) free(p); *p = 4; if (!by) free(p); }
static void use_after_realloc(int by) { char *p = malloc(8), *q = realloc(p, 4000); q[0] = 1; sink = by ? p[0] : q[0]; free(q); }
static void double_free(int by) { char *p = malloc(8); free(p); if (by) free(p); }
static void free_inside(int by) { char *p = malloc(8); free(p + by); }
static void free_of_stack(int by) { char a[8], *p = by ? a : malloc(8); a[0] = 0; sink = a[0]; free(p); }
static int *address_of_local(int *other, int by) { int local = 4; int *p = by ? &local : other; *p = 2; return p; }
static void use_after_return(int by) { int other = 0; int *p = address_of_local(&other, by); sink = *p; }
static void use_after_scope(int by) { int other = 0, *p = &other; { int inner = 3; if (by) p = &inner; *p = 4; } sink = *p; }
static void use_after_scope_of_loop(int by) {
  int other = 0, *p = &other;
  for (int i = 0; i < 2; i++) { int inner = i; if (by) p = &inner; *p += 4; }
  sink = *p;
}
static void literal_after_scope(int by) { int x = 2, *p = &x; { if (by) p = (int[]){4, 5}; sink = *p; } sink += *p; }
struct pair { int a, b; };
static void statement_expression(int by) { struct pair p = ({ struct pair q = {1, 2}; q.a += by; q; }); int *r = &p.a; { int k = 1; if (by) r = &k; sink = *r; } sink = *r; }
static void write_through(int *p) { *p = 6; }
static void use_after_scope_in_callee(int by) { int other = 0, *p = &other; if (p) { int inner[2] = {3, 4}; if (by) p = inner; *p = 4; } write_through(p); }
static void member_write_over(int by) { struct record r = {"abc", 1, "x"}; int i = 7 + by; r.name[i] = 'x'; sink = r.age; }
static void member_read_over(int by) { struct record *r = calloc(1, sizeof *r); int i = 7 + by; sink = r->name[i]; free(r); }
static void member_read_under(int by) { struct record r = {"abc", 1, "x"}; int i = -by; sink = r.tail[i]; }
static void global_first_member_over(int by) { int i = 1 + by; shared.first[i] = 1; }
static void global_member_over(int by) { int i = 3 + by; shared.name[i] = 1; }
static void global_nested_row_over(int by) { int i = 1 + by; shared.in.grid[1][i] = 1; }
static void global_member_text_over(int by) { strcpy(shared.name, by ? "four" : "fit"); }
static void union_in_struct_over(int by) { struct node n = {0}; int i = 3 + by; n.u.raw[i] = 1; sink = n.id; }
static void member_text_over(int by) { struct record r = {"", 1, "x"}; strcpy(r.name, by ? "too long" : "fitting"); sink = r.age; }
static void row_over(int by) { int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; int i = 0, j = 2 + by; sink = m[i][j]; }
static void member_row_over(int by) { struct matrix m = {{{1}}, 1}; int i = 1 + by; m.cell[i][0] = 1; sink = m.sum; }
static void uninitialised_branch(int by) { int x; if (!by) x = 1; if (x > 3) sink = 1; }
static void uninitialised_heap(int by) { int *p = malloc(8); if (!by) p[1] = 4; if (p[1] == 17) sink = 2; free(p); }
static void null_read(int by) { int x = 1, *p = by ? NULL : &x; sink = *p; }
static void null_member_write(int by) { struct record r = {"", 1, ""}, *p = by ? NULL : &r; p->age = 3; sink = r.age; }
static void division_by_zero(int by) { int d = 1 - by; sink = 7 / d; }
static void remainder_by_zero(int by) { int d = 1 - by; sink = 7 % d; }
static void quotient_overflow(int by) { int a = INT_MIN + 1 - by, b = -1; sink = a / b; }
static void sum_overflow(int by) { int a = INT_MAX - 1; sink = a + 1 + by; }
static void difference_overflow(int by) { int a = INT_MIN + 1; sink = a - 1 - by; }
static void product_overflow(int by) { long a = LONG_MAX / 2; a = a * (2 + by); sink = a > 0; }
static void negation_overflow(int by) { int a = INT_MIN + 1 - by; sink = -a; }
static void increment_overflow(int by) { int a = INT_MAX - 1; a++; if (by) a++; sink = a; }
static void compound_overflow(int by) { int a = INT_MAX - 1; a += 1 + by; sink = a; }
static void absolute_overflow(int by) { int a = INT_MIN + 1 - by; sink = abs(a); }
static void shift_too_far(int by) { unsigned a = 1; int n = 31 + by; sink = (a << n) != 0; }
static void shift_right_too_far(int by) { long a = 77; int n = 63 + by; sink = (int)(a >> n); }
static void shift_negative(int by) { unsigned a = 1; int n = 0 - by; sink = (int)(a << n); }
static void float_to_int(int by) { double d = 2147483647.0 + by; sink = (int)d; }
static void float_to_unsigned(int by) { float f = by ? -1.5f : -0.5f; sink = (int)(unsigned char)f; }
static void vla_size(int by) { int n = 1 - 2 * by; char a[n]; if (!by) a[0] = 1; sink = sizeof a > 0; }
static int with_a_gap(int x) { if (x > 1) return 1; if (x < 1) return 2; __builtin_unreachable(); }
static void unreachable_reached(int by) { sink = with_a_gap(2 - by); }
static void copy_overlap(int by) { char a[16] = "abcdefgh"; memcpy(a + 2 + 4 * !by, a, 4); sink = a[3]; }
static void text_copy_overlap(int by) { char a[16] = "abcdefg"; strcpy(a + (by ? 1 : 8), a + (by ? 0 : 4)); sink = a[3]; }
static void print_overlap(int by) { char a[32] = "abc", b[8] = "abc"; snprintf(a, sizeof a, "%s-", by ? a : b); sink = a[0]; }
static void text_copy_over(int by) { char a[4]; strcpy(a, by ? "abcd" : "abc"); sink = a[0]; }
static void text_append_over(int by) { char a[6] = "abc"; strcat(a, by ? "def" : "de"); sink = a[0]; }
static void text_unterminated(int by) { char a[3] = {'a', 'b', by ? 'c' : 0}; sink = (int)strlen(a); }
static void bounded_copy_over(int by) { char a[4]; strncpy(a, "ab", sizeof a + by); sink = a[0]; }
static void fill_over(int by) { int a[4]; memset(a, 0, sizeof a + by); sink = a[0]; }
static void copy_over(int by) { int a[4], b[4] = {0}; memcpy(a, b, sizeof a + by); sink = a[0]; }
static void compare_over(int by) { char *p = malloc(4); memset(p, 0, 4); sink = memcmp(p, "\0\0\0\0\0", 4 + by); free(p); }
static void print_over(int by) { char a[4]; sprintf(a, "%d", by ? 1000 : 100); sink = a[0]; }
static void format_unterminated(int by) { char *p = malloc(2); p[0] = 'a'; p[1] = by ? 'b' : 0; printf("%s", p); free(p); }
static void heap_packet(int by) { struct packet *p = malloc(sizeof *p + 3); memset(p, 0, sizeof *p + 3); int i = 6 + by; p->data[i] = 1; sink = p->data[1]; free(p); }
static void pointer_to_row(int by) { int m[2][3] = {{0}}; int (*p)[3] = m; int j = 2 + by; p[1][j] = 4; sink = m[0][0]; }
static void block_copy_over(int by) { struct record a = {"", 1, ""}; struct record *p = malloc(sizeof *p - by); *p = a; free(p); }
struct bits { unsigned a : 3; int b : 4; };
static void long_to_double_and_back(int by) { double d = by ? 9.3e18 : 9.2e18; long l = (long)d; sink = l > 0; }
static void short_increment(int by) { short s = SHRT_MAX; s++; sink = s + by; if (by) { int i = INT_MAX; i -= -1; sink = i; } }
static void bit_field_sum(int by) { struct bits b = {7, 7}; b.a++; sink = b.a + (by ? INT_MAX : 0) + (by ? 7 : 0) + (int)b.b; }
static void negative_row(int by) { int m[3][3] = {{0}}; int j = -by; sink = m[1][j]; }
static void long_jump(int by) { static jmp_buf b; int o = 1, *p = &o; { int in = 2; p = &in; if (setjmp(b)) { sink = *p; goto end; } *p = 5; } if (!by) longjmp(b, 1); sink = *p; end: return; }
static int *keep; static void store(int *p) { keep = p; }
static void switch_scope(int by) { switch (by) { case 0: { int x = 1; store(&x); sink = *keep; break; } default: { int y = 3; store(&y); } { sink = *keep; } } }
static void if_else_scope(int by) { int *p; if (sink >= 0) { int t = 3; p = &t; sink = *p; } else { p = &sink; } if (by) sink = *p; }
static void do_while_scope(int by) { int n = 0, *p = &n; do { int k = n++; if (by) p = &k; } while (n < 3 && *p >= 0); sink = n; }
static void scan_over(int by) { char w[4]; sscanf(by ? "abcdef" : "abc", "%s", w); sink = w[0]; }
static void sprintf_member(int by) { struct node n = {0}; sprintf(n.name, "%d", by ? 12345 : 123); sink = n.name[0]; }
static void realloc_freed(int by) { char *p = malloc(4); if (by) free(p); p = realloc(p, 8); free(p); sink = 1; }
static void strdup_over(int by) { char *p = strdup("abc"); sink = p[3 + by]; free(p); }
static void remainder_overflow(int by) { int a = by ? INT_MIN : 4, b = -1; sink = a % b; }
static void loop_sum(int by) { int s = INT_MAX - 10; for (int i = 0; i < (by ? 6 : 5); i++) s += i; sink = s; }
static void multiply_sizes(int by) { int n = by ? 50000 : 40000; sink = n * n; }

static const struct { const char *name; void (*run)(int); } errors[] = {
  {"heap_read_over", heap_read_over}, /* memory out-of-bounds */
  {"heap_write_over", heap_write_over}, /* memory out-of-bounds */
  {"heap_write_under", heap_write_under}, /* memory out-of-bounds */
  {"stack_read_over", stack_read_over}, /* memory out-of-bounds */
  {"stack_write_over", stack_write_over}, /* memory out-of-bounds */
  {"stack_write_under", stack_write_under}, /* memory out-of-bounds */
  {"global_read_over", global_read_over}, /* memory out-of-bounds */
  {"global_write_over", global_write_over}, /* memory out-of-bounds */
  {"use_after_free_read", use_after_free_read}, /* memory use-after-free */
  {"use_after_free_write", use_after_free_write}, /* memory use-after-free */
  {"use_after_realloc", use_after_realloc}, /* memory use-after-free */
  {"double_free", double_free}, /* memory double-free */
  {"free_inside", free_inside}, /* memory bad-free */
  {"free_of_stack", free_of_stack}, /* memory bad-free */
  {"use_after_return", use_after_return}, /* memory use-after-return */
  {"use_after_scope", use_after_scope}, /* memory use-after-scope */
  {"use_after_scope_of_loop", use_after_scope_of_loop}, /* memory use-after-scope */
  {"literal_after_scope", literal_after_scope}, /* memory use-after-scope */
  {"statement_expression", statement_expression}, /* memory use-after-scope */
  {"use_after_scope_in_callee", use_after_scope_in_callee}, /* memory use-after-scope */
  {"member_write_over", member_write_over}, /* memory out-of-member */
  {"member_read_over", member_read_over}, /* memory out-of-member */
  {"member_read_under", member_read_under}, /* memory out-of-member */
  {"global_first_member_over", global_first_member_over}, /* memory out-of-member */
  {"global_member_over", global_member_over}, /* memory out-of-member */
  {"global_nested_row_over", global_nested_row_over}, /* memory out-of-member */
  {"global_member_text_over", global_member_text_over}, /* memory out-of-member ours */
  {"union_in_struct_over", union_in_struct_over}, /* memory out-of-member */
  {"member_text_over", member_text_over}, /* memory out-of-member ours */
  {"row_over", row_over}, /* memory out-of-member */
  {"member_row_over", member_row_over}, /* memory out-of-member */
  {"uninitialised_branch", uninitialised_branch}, /* memory uninitialised */
  {"uninitialised_heap", uninitialised_heap}, /* memory uninitialised */
  {"null_read", null_read}, /* signal SIGSEGV */
  {"null_member_write", null_member_write}, /* signal SIGSEGV */
  {"division_by_zero", division_by_zero}, /* division */
  {"remainder_by_zero", remainder_by_zero}, /* division */
  {"quotient_overflow", quotient_overflow}, /* division */
  {"sum_overflow", sum_overflow}, /* arithmetic signed-overflow */
  {"difference_overflow", difference_overflow}, /* arithmetic signed-overflow */
  {"product_overflow", product_overflow}, /* arithmetic signed-overflow */
  {"negation_overflow", negation_overflow}, /* arithmetic signed-overflow */
  {"increment_overflow", increment_overflow}, /* arithmetic signed-overflow */
  {"compound_overflow", compound_overflow}, /* arithmetic signed-overflow */
  {"absolute_overflow", absolute_overflow}, /* arithmetic signed-overflow */
  {"shift_too_far", shift_too_far}, /* arithmetic shift */
  {"shift_right_too_far", shift_right_too_far}, /* arithmetic shift */
  {"shift_negative", shift_negative}, /* arithmetic shift */
  {"float_to_int", float_to_int}, /* arithmetic conversion */
  {"float_to_unsigned", float_to_unsigned}, /* arithmetic conversion */
  {"vla_size", vla_size}, /* memory negative-size */
  {"unreachable_reached", unreachable_reached}, /* signal SIGILL */
  {"copy_overlap", copy_overlap}, /* memory overlap ours */
  {"text_copy_overlap", text_copy_overlap}, /* memory overlap */
  {"print_overlap", print_overlap}, /* memory overlap ours */
  {"text_copy_over", text_copy_over}, /* memory out-of-bounds */
  {"text_append_over", text_append_over}, /* memory out-of-bounds */
  {"text_unterminated", text_unterminated}, /* memory out-of-bounds */
  {"bounded_copy_over", bounded_copy_over}, /* memory out-of-bounds */
  {"fill_over", fill_over}, /* memory out-of-bounds */
  {"copy_over", copy_over}, /* memory out-of-bounds */
  {"compare_over", compare_over}, /* memory out-of-bounds */
  {"print_over", print_over}, /* memory out-of-bounds */
  {"format_unterminated", format_unterminated}, /* memory out-of-bounds */
  {"heap_packet", heap_packet}, /* memory out-of-bounds */
  {"pointer_to_row", pointer_to_row}, /* memory out-of-bounds */
  {"block_copy_over", block_copy_over}, /* memory out-of-bounds */
  {"long_to_double_and_back", long_to_double_and_back}, /* arithmetic conversion */
  {"short_increment", short_increment}, /* arithmetic signed-overflow */
  {"bit_field_sum", bit_field_sum}, /* arithmetic signed-overflow */
  {"negative_row", negative_row}, /* memory out-of-member */
  {"long_jump", long_jump}, /* memory use-after-scope */
  {"switch_scope", switch_scope}, /* memory use-after-scope */
  {"if_else_scope", if_else_scope}, /* memory use-after-scope */
  {"do_while_scope", do_while_scope}, /* memory use-after-scope */
  {"scan_over", scan_over}, /* memory out-of-bounds */
  {"sprintf_member", sprintf_member}, /* memory out-of-member ours */
  {"realloc_freed", realloc_freed}, /* memory double-free */
  {"strdup_over", strdup_over}, /* memory out-of-bounds */
  {"remainder_overflow", remainder_overflow}, /* division */
  {"loop_sum", loop_sum}, /* arithmetic signed-overflow */
  {"multiply_sizes", multiply_sizes}, /* arithmetic signed-overflow */
};

int main(int argc, char **argv) {
  for (size_t k = 0; argc == 3 && k < sizeof errors / sizeof *errors; k++)
    if (!strcmp(argv[1], errors[k].name)) { errors[k].run(!strcmp(argv[2], "wrong")); return 0; }
  return 2;
}
