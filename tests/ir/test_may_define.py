"""Omissions through aliases: which decisions kept another assignment of a loaded cell from running."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.ir.instructions import Function
from butfor.ir.may_define import MayDefine
from butfor.ir.points_to import inclusion_solver, near_functions
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.trace import Node
from tests.small import recorded, source

# On the line with `// load` something is read. Decisions with `// found` must be among those that kept it from being
# assigned, those with `// not` must not.
PROGRAMS = {
    "a local variable": """int main(int argc, char **argv) {
 int x = 1, y = 1;
 if (argc > 5) // found
  x = 2;
 if (argc > 6) // not
  y = 2;
 int seen = x; // load
 return seen + y; }
""",
    "an out-parameter": """static void set(int *out, int c) {
 if (c > 5) // found
  *out = 2; }
static void other(int *out, int c) {
 if (c > 5) // not
  *out = 2; }
int main(int argc, char **argv) {
 int x = 1, y = 1;
 set(&x, argc);
 other(&y, argc);
 if (argc > 6) // found
  set(&x, 9);
 if (argc > 7) // not
  set(&y, 9);
 if (argc > 8) // not
  y = 3;
 int seen = x; // load
 return seen + y; }
""",
    "an out-parameter passed on": """static void inner(int *to) { *to = 3; }
static void outer(int *a, int *b, int c) {
 if (c > 5) // found
  inner(a);
 if (c > 6) // not
  inner(b); }
int main(int argc, char **argv) {
 int x = 1, y = 1;
 outer(&x, &y, argc);
 int seen = x; // load
 return seen + y; }
""",
    "members of a struct": """struct s { int a, b; char c[4]; char d; };
static void change(struct s *p, int n) {
 if (n > 5) // found
  p->a = 2;
 if (n > 6) // not
  p->b = 2;
 if (n > 7) // not
  strcpy(p->c, "abc");
 if (n > 8) // not
  p->d = 'x';
 if (n > 9) // found
  memset(p, 0, sizeof *p); }
int main(int argc, char **argv) {
 struct s x = {1, 1, "", 0};
 change(&x, argc);
 if (argc > 5) // not
  x.b = 3;
 int seen = x.a; // load
 return seen + x.b; }
""",
    "a linked list": """struct node { int value; struct node *next; };
static struct node *push(struct node *list, int value) {
 struct node *n = malloc(sizeof *n);
 n->value = value;
 n->next = list;
 return n; }
int main(int argc, char **argv) {
 struct node *list = push(push(push(NULL, 1), 2), 3), *other = push(NULL, 4);
 if (argc > 5) // found
  list->next->value = 9;
 if (argc > 6) // not
  list->value = 9;
 if (argc > 7) // not
  other->value = 9;
 int seen = list->next->value; // load
 return seen + other->value; }
""",
    "a list that is walked": """struct node { int value; struct node *next; };
int main(int argc, char **argv) {
 struct node c = {3, NULL}, b = {2, &c}, a = {1, &b}, lone = {7, NULL};
 for (struct node *n = &a; n; n = n->next)
  if (n->value > 5) // found
   n->value = 0;
 for (struct node *n = &lone; n; n = n->next)
  if (n->value > 9) // not
   n->value = 0;
 int seen = b.value; // load
 return seen; }
""",
    "an array of pointers": """int main(int argc, char **argv) {
 int x = 1, y = 1, *table[2] = {&x, &y};
 if (argc > 5) // found
  *table[0] = 2;
 if (argc > 6) // not
  *table[1] = 2;
 for (int i = 0; i < 2; i++)
  if (argc > 7) // found
   *table[i] = 3;
 int seen = x; // load
 return seen + y; }
""",
    "a pointer to a pointer": """static void redirect(int **p, int *to) { *p = to; }
int main(int argc, char **argv) {
 int x = 1, y = 1, *p = NULL;
 redirect(&p, &x);
 if (argc > 5) // found
  *p = 2;
 redirect(&p, &y);
 if (argc > 6) // not
  *p = 2;
 int seen = x; // load
 return seen + y; }
""",
    "a function pointer": """static int x = 1, y = 1;
static void set_x(int v) { x = v; }
static void set_y(int v) { y = v; }
struct op { const char *name; void (*run)(int); };
static const struct op ops[] = {{"x", set_x}, {"y", set_y}};
int main(int argc, char **argv) {
 void (*direct)(int) = set_y;
 if (argc > 5) // found
  ops[argc % 2].run(2);
 if (argc > 6) // not
  direct(2);
 int seen = x; // load
 return seen + y; }
""",
    "heap blocks": """int main(int argc, char **argv) {
 int *p = malloc(3 * sizeof *p), *q = malloc(3 * sizeof *q), *alias = p + 1;
 p[0] = p[1] = q[0] = q[1] = 1;
 if (argc > 5) // found
  *alias = 2;
 if (argc > 6) // not
  q[1] = 2;
 if (argc > 7) // not
  p[0] = 2;
 int seen = p[1]; // load
 return seen + q[1]; }
""",
    "blocks from an allocator of the program": """static void *xmalloc(size_t n) {
 void *p = malloc(n);
 if (!p)
  exit(1);
 return p; }
struct pair { int a, b; };
static struct pair *pair(int a) {
 struct pair *p = xmalloc(sizeof *p);
 p->a = p->b = a;
 return p; }
int main(int argc, char **argv) {
 struct pair *p = pair(1), *q = pair(2), **pp = argc > 3 ? &q : &p;
 if (argc > 5) // found
  p->a = 5;
 if (argc > 6) // not
  q->a = 5;
 if (argc > 7) // not
  p->b = 5;
 if (argc > 8) // found
  (*pp)->a = 6;
 int seen = p->a; // load
 return seen + q->a; }
""",
    "a block that is made larger": """struct vec { int n, room; int **item; };
static void grow(struct vec *v) {
 v->room = v->room ? 2 * v->room : 1;
 v->item = realloc(v->item, v->room * sizeof *v->item); }
static void add(struct vec *v, int *p) {
 if (v->n == v->room)
  grow(v);
 v->item[v->n++] = p; }
int main(int argc, char **argv) {
 int x = 1, y = 1, z = 1;
 struct vec a = {0, 0, NULL}, b = {0, 0, NULL};
 add(&a, &x);
 add(&a, &y);
 add(&b, &z);
 if (argc > 5) // found
  *a.item[0] = 2;
 if (argc > 6) // not
  *a.item[1] = 2;
 if (argc > 7) // not
  *b.item[0] = 2;
 int seen = x; // load
 return seen + y + z; }
""",
    "a struct that was copied": """struct view { int *data; int size; };
int main(int argc, char **argv) {
 int x[2] = {1, 1}, y[2] = {1, 1};
 struct view a = {x, 2}, b, c = {y, 2}, d;
 b = a;
 memcpy(&d, &b, sizeof d);
 if (argc > 5) // found
  d.data[1] = 2;
 if (argc > 6) // not
  c.data[1] = 2;
 int seen = x[1]; // load
 return seen + y[1]; }
""",
    "an assignment before a copy": """struct s { int a, b; long more[3]; };
static int look(struct s s) {
 return s.a; } // load
int main(int argc, char **argv) {
 struct s x = {1, 1, {0}}, y;
 if (argc > 5) // found
  x.a = 2;
 if (argc > 6) // not
  x.b = 2;
 y = x;
 if (argc > 7) // found
  y.a = 3;
 if (argc > 8) // not
  x.a = 4;
 return look(y); }
""",
    "a returned pointer": """static int x = 1, y = 1;
static int *pick(int k) { return k ? &y : &x; }
static int *first(int *p) { return p; }
int main(int argc, char **argv) {
 int z = 1;
 if (argc > 5) // found
  *pick(argc - 1) = 2;
 if (argc > 7) // not
  *pick(argc) = 2;
 if (argc > 6) // not
  *first(&z) = 2;
 int seen = x; // load
 return seen + y + z; }
""",
    "an element that a function finds": """struct grid { int rows, cols; double *cell; };
static struct grid *make(int rows, int cols) {
 struct grid *g = malloc(sizeof *g);
 g->rows = rows;
 g->cols = cols;
 g->cell = calloc(rows * cols, sizeof *g->cell);
 return g; }
static double *at(struct grid *g, int r, int c) {
 assert(r < g->rows && c < g->cols);
 return &g->cell[r * g->cols + c]; }
int main(int argc, char **argv) {
 struct grid *g = make(2, 2), *h = make(2, 2);
 if (argc > 5) // found
  *at(g, 1, 1) = 2;
 if (argc > 6) // not
  *at(h, 1, 1) = 2;
 if (argc > 7) // not
  *at(g, 0, 1) = 2;
 double seen = *at(g, 1, 1); // load
 return seen == *at(h, 1, 1); }
""",
    "a global variable through a pointer": """static int limit = 1, other = 1, *const where = &limit;
static int *moving = &other;
int main(int argc, char **argv) {
 if (argc > 5) // found
  *where = 2;
 if (argc > 6) // not
  *moving = 2;
 int seen = limit; // load
 return seen + other; }
""",
    "an array and its elements": """static int a[8], b[8];
int main(int argc, char **argv) {
 for (int i = 0; i < 8; i++) {
  if (i == argc + 20) // found
   a[i] = 1;
  if (i > 9) // not
   b[i] = 1;
 }
 if (argc > 5) // not
  a[3] = 1;
 if (argc > 6) // found
  a[5] = 1;
 int k = argc + 4;
 int seen = a[k]; // load
 return seen; }
""",
    "a loop that ends too early": """static int a[8], b[8];
static void clear(int *p, int n) {
 while (n-- > 0) // found
  *p++ = 1; }
int main(int argc, char **argv) {
 for (int i = 0; i < 3; i++) // found
  a[i] = 1;
 for (int i = 0; i < 3; i++) // not
  b[i] = 1;
 clear(a, 4);
 int seen = a[6]; // load
 return seen; }
""",
    "a recursive function": """struct tree { int key; struct tree *left, *right; };
static void mark(struct tree *t, int *count) {
 if (!t)
  return;
 mark(t->left, count);
 if (t->key > 50) // found
  ++*count;
 mark(t->right, count); }
int main(int argc, char **argv) {
 struct tree a = {1, NULL, NULL}, b = {3, NULL, NULL}, root = {2, &a, &b};
 int count = 0, rest = 0;
 mark(&root, &count);
 if (argc > 5) // not
  mark(&root, &rest);
 int seen = count; // load
 return seen + rest; }
""",
    "a function that is not known": """int main(int argc, char **argv) {
 char from[8] = "abcdefg", to[8] = "", rest[8] = "";
 if (argc > 5) // found
  swab(from, to, 4);
 if (argc > 6) // not
  strcpy(rest, "x");
 char seen = to[2]; // load
 return seen + rest[0]; }
""",
    "a union": """union u { int i; float f; char c[4]; };
int main(int argc, char **argv) {
 union u x = {1}, y = {1};
 if (argc > 5) // found
  x.f = 2.5f;
 if (argc > 6) // found
  x.c[2] = 1;
 if (argc > 7) // not
  y.i = 3;
 int seen = x.i; // load
 return seen + y.i; }
""",
    "bytes of a number": """int main(int argc, char **argv) {
 int x = 1, y = 1;
 unsigned char *p = (unsigned char *)&x;
 if (argc > 5) // found
  p[1] = 1;
 for (unsigned i = 0; i < sizeof x; i++)
  if (argc > 6) // found
   p[i] = 0;
 if (argc > 7) // not
  y = 2;
 int seen = x; // load
 return seen + y; }
""",
    "a member of a struct around another": """struct link { struct link *next; };
struct job { int done; struct link link; int size; };
#define job_of(p) ((struct job *)((char *)(p) - offsetof(struct job, link)))
int main(int argc, char **argv) {
 struct job a = {0, {NULL}, 1}, b = {0, {&a.link}, 1};
 struct link *l = b.link.next;
 if (argc > 5) // found
  job_of(l)->done = 1;
 if (argc > 6) // not
  job_of(l)->size = 1;
 if (argc > 7) // not
  job_of(&b.link)->done = 1;
 int seen = a.done; // load
 return seen + b.done; }
""",
    "a pointer kept as a number": """int main(int argc, char **argv) {
 int x[2] = {1, 1}, y = 1;
 unsigned long long u = (unsigned long long)&x[0] | 1, v = (unsigned long long)&y;
 if (argc > 5) // found
  *(int *)(u & ~1ull) = 2;
 if (argc > 6) // not
  *(int *)v = 2;
 int seen = x[0]; // load
 return seen + y; }
""",
    "variable arguments": """static void reset(int n, ...) {
 va_list ap;
 va_start(ap, n);
 while (n-- > 0) {
  int *p = va_arg(ap, int *);
  if (*p > 5) // found
   *p = 0;
 }
 va_end(ap); }
int main(int argc, char **argv) {
 int x = 1, y = 1, z = 1;
 reset(2, &x, &y);
 if (argc > 5) // found
  reset(1, &x);
 if (argc > 6) // not
  z = 2;
 int seen = x; // load
 return seen + z; }
""",
    "a struct that a function returns": """struct big { int a[6]; int n; };
static struct big make(int n) {
 struct big b = {{0}, 1};
 if (n > 5) // found
  b.n = 2;
 if (n > 6) // not
  b.a[1] = 2;
 return b; }
int main(int argc, char **argv) {
 struct big x = make(argc);
 if (argc > 5) // not
  x.a[0] = 1;
 int seen = x.n; // load
 return seen; }
""",
    "a static variable of a function": """static int *counter(void) {
 static int n = 1;
 return &n; }
int main(int argc, char **argv) {
 int x = 1;
 if (argc > 5) // found
  ++*counter();
 if (argc > 6) // not
  x = 2;
 int seen = *counter(); // load
 return seen + x; }
""",
}
READING = {  # a call of the library, and an expression that reads what it wrote
    "sscanf": ('sscanf("1 2", "%d %d", &x, &y)', "x"),
    "sscanf into a text": ('sscanf("abc", "%3s", text)', "text[1]"),
    "strcpy": ('strcpy(text, "abc")', "text[1]"),
    "strncat": ('strncat(p, "abc", 2)', "text[0]"),
    "memset": ("memset(&x, 0, sizeof x)", "x"),
    "memmove": ("memmove(&x, &y, sizeof x)", "x"),
    "snprintf": ('snprintf(text, sizeof text, "%d", y)', "text[0]"),
    "fgets": ("fgets(text, sizeof text, stdin)", "text[0]"),
    "fread": ("fread(&x, 1, sizeof x, stdin)", "x"),
    "read": ("read(0, text, 3)", "text[2]"),
    "strtol": ("strtol(text, &p, 10)", "p"),
    "strtok": ('strtok(p, " ")', "text[0]"),
    "getline": ("getline(&p, &n, stdin)", "p"),
    "qsort": ("qsort(pair, 2, sizeof *pair, compare)", "pair[0]"),
    "frexp": ("frexp(2.0, &x)", "x"),
    "stpcpy": ('stpcpy(text, "abc")', "text[0]"),
    "strchr": ("*strchr(text, 0) = 'x'", "text[0]"),
    "bsearch": ("*(int *)bsearch(&x, pair, 2, sizeof *pair, compare) = 3", "pair[1]"),
    "time": ("time((time_t *)&n)", "n"),
}
HEAD = """#include <math.h>
#include <time.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
"""
FUNCTION = """static long test_NUMBER(int argc) {
 int x = 1, y = 1, pair[2] = {2, 1};
 char text[8] = "", *p = text, rest[8] = "";
 size_t n = 0;
 if (argc > 5) // found NUMBER
  CALL;
 if (argc > 6) // not NUMBER
  strcpy(rest, "x");
 long seen = (long)(READ); // load NUMBER
 return seen + compare(&x, &y) + (long)n + rest[0] + *p; }
"""


def lines_with(text: str, mark: str) -> set[int]:
    """The numbers of the lines with a comment."""
    return {n for n, line in enumerate(text.splitlines(), 1) if line.endswith(f"// {mark}")}


def loads_at(recording: Recording, line: int) -> list[Node]:
    """The loads of the run that the source line makes."""
    trace = recording.trace
    nodes = [
        (i, n)
        for i in range(len(trace))
        for n in range(trace.at(i).seg.start, trace.at(i).seg.end)
        if trace.instr((i, n)).op == "load"
    ]
    return [node for node in nodes if line_at(recording, node) == line]


def line_at(recording: Recording, node: Node) -> int | None:
    """The source line of an instance."""
    at = recording.source.location(recording.trace.instr(node))
    return None if at is None else at.line


def kept(recording: Recording, dependence: Dependence, loads: list[Node]) -> set[int | None]:
    """The lines of the decisions that kept what was read from being assigned."""
    targets = [target for node in loads for _, target in dependence.potential(node)]
    return {line_at(recording, t) for t in targets}


def judge(recording: Recording, text: str, number: str = "") -> None:
    """Compares the comments of a program with what its run gives."""
    dependence = Dependence(recording.trace)
    (line,) = lines_with(text, "load" + number)
    loads = loads_at(recording, line)
    assert loads
    found = kept(recording, dependence, loads)
    wanted, unwanted = lines_with(text, "found" + number), lines_with(text, "not" + number)
    assert wanted <= found, f"missed: {sorted(wanted - found)}"
    assert not unwanted & found, f"unfounded: {sorted(unwanted & found)}"
    assert dependence.potential_dependence.may_define.precise


@pytest.mark.parametrize("name", PROGRAMS)
def test_omission_through_an_alias(name: str, tmp_path: Path) -> None:
    program = source(PROGRAMS[name], head="#include <stddef.h>\n" + source("").text)
    judge(recorded(tmp_path, program), program.text)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, str]:
    """A run of a program with one function for each library call."""
    functions = [
        FUNCTION.replace("NUMBER", str(k)).replace("CALL", call).replace("READ", read)
        for k, (call, read) in enumerate(READING.values())
    ]
    calls = " + ".join(f"test_{k}(argc)" for k in range(len(functions)))
    program = source("".join((HEAD, *functions, f"int main(int argc, char **argv) {{ return {calls} > 0; }}\n")))
    return recorded(tmp_path_factory.mktemp("library"), program), program.text


@pytest.mark.parametrize("name", READING)
def test_omission_of_a_library_call(name: str, library: tuple[Recording, str]) -> None:
    judge(*library, f" {list(READING).index(name)}")


def test_only_calls_for_the_same_object_count(tmp_path: Path) -> None:
    body = """struct stack { int top; int item[4]; };
static void push(struct stack *s, int v) {
 if (v < 0) // decision
  return;
 s->item[s->top++] = v; }
int main(int argc, char **argv) {
 struct stack a = {0}, b = {0};
 push(&a, 1);
 push(&a, -1);
 push(&b, -1);
 push(&b, 2);
 int seen = a.top; // load
 return seen + b.top; }
"""
    program = source(body)
    recording = recorded(tmp_path, program)
    loads = loads_at(recording, program.line_of("// load"))
    (target,) = {t for node in loads for _, t in Dependence(recording.trace).potential(node)}
    call = recording.trace.call_of(target[0])
    assert call is not None
    assert line_at(recording, call) == program.line_of("push(&a, -1)")


def test_locals_of_other_frames_are_others(tmp_path: Path) -> None:
    body = """static int down(int n) {
 int x = 1;
 if (n == 2) // decision
  x = 2;
 int rest = n ? down(n - 1) : 0;
 int seen = x; // load
 return seen + rest; }
int main(int argc, char **argv) { return down(3); }
"""
    program = source(body)
    recording = recorded(tmp_path, program)
    dependence, log = Dependence(recording.trace), recording.log
    frames = {}
    for node in loads_at(recording, program.line_of("// load")):
        frames[log.frame_of(node[0])] = [log.frame_of(t[0]) for _, t in dependence.potential(node)]
    assert sorted(len(targets) for targets in frames.values()) == [0, 1, 1, 1]
    assert all(target == frame for frame, targets in frames.items() for target in targets)


def test_output_is_a_cell(tmp_path: Path) -> None:
    body = """static void show(int n) { printf("%d\\n", n); }
int main(int argc, char **argv) {
 void (*f)(int) = show;
 if (argc > 5) // found
  show(1);
 if (argc > 6) // found
  f(2);
 if (argc > 7) // not
  argc = 3;
 return 0; }
"""
    program = source(body)
    recording = recorded(tmp_path, program)
    targets = Dependence(recording.trace).missing_output(0, len(recording.trace))
    lines = {line_at(recording, t) for t in targets}
    assert lines == lines_with(program.text, "found")


def test_what_is_given_up_is_on_the_safe_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inclusion_solver, "MAX_STEPS", -1)
    for name in (
        "a local variable",
        "an out-parameter",
        "members of a struct",
        "a function pointer",
        "a linked list",
        "variable arguments",
    ):
        program = source(PROGRAMS[name])
        recording = recorded(tmp_path, program)
        dependence = Dependence(recording.trace)
        (line,) = lines_with(program.text, "load")
        found = kept(recording, dependence, loads_at(recording, line))
        assert not dependence.potential_dependence.may_define.precise
        assert lines_with(program.text, "found") <= found, name
    assert not lines_with(program.text, "not") & kept(recording, dependence, [])


CHAIN = 40  # functions that each call the next one
FAR_PROGRAM = "\n".join(
    (
        "static int kept = 1;",
        f"static void f{CHAIN}(int c) {{ kept = c; }}",
        *(f"static void f{k}(int c) {{ if (c) f{k + 1}(c + 1); }}" for k in reversed(range(CHAIN))),
        "int main(int argc, char **argv) {",
        " if (argc > 5)",
        "  f0(argc);",
        " int seen = kept;",
        " return seen; }",
    )
)


def test_functions_far_from_the_run_are_not_even_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a run follows what it executed: of a long chain of calls only the beginning is looked into."""
    monkeypatch.setattr(near_functions, "_MIN_INSTRUCTIONS_BEYOND", 100)
    recording = recorded(tmp_path, source(FAR_PROGRAM))
    program, parsed = recording.trace.program, set[str]()
    parse = program.source.function

    def noted(name: str) -> Function:
        parsed.add(name)
        return parse(name)

    monkeypatch.setattr(program.source, "function", noted)
    may_define = MayDefine(program, recording.trace.executed_functions)
    assert may_define.left_out == 1  # the function where looking ended
    assert "f0" in parsed
    assert f"f{CHAIN - 1}" not in parsed


def test_functions_near_the_run_are_all_looked_into(tmp_path: Path) -> None:
    recording = recorded(tmp_path, source(FAR_PROGRAM))
    dependence = Dependence(recording.trace)
    line = FAR_PROGRAM.splitlines().index(" int seen = kept;") + 1 + source("").text.count("\n")
    found = kept(recording, dependence, loads_at(recording, line))
    assert dependence.potential_dependence.left_out == 0
    assert line - 2 in found


def test_pointers_are_not_followed_beyond_the_time_for_them(tmp_path: Path) -> None:
    recording = recorded(tmp_path, source(PROGRAMS["a linked list"]))
    in_time, too_late = Dependence(recording.trace), Dependence(recording.trace, seconds_for_pointers=0.0)
    assert in_time.potential_dependence.may_define.precise
    assert not too_late.potential_dependence.may_define.precise
    assert too_late.potential_dependence.is_imprecise
