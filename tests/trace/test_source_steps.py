"""The run in source terms: what was assigned, decided and called, with values, rounds of loops and callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import Iteration, Step, Steps
from tests.small import recorded, source


class Told:
    """All steps of a run of a program."""

    def __init__(self, folder: Path, body: str, args: tuple[str, ...] = ()) -> None:
        self.program = source(body)
        self.recording = recorded(folder, self.program, args=list(args))
        trace = self.recording.trace
        self.steps = Steps(Places(self.recording), RunObjects(self.recording), Dependence(trace))
        self.all = list(self.steps.between(0, len(trace)))

    def at(self, part: str, kind: str | None = None) -> list[Step]:
        """The steps in the only line that contains a text."""
        line = self.program.line_of(part)
        return [s for s in self.all if s.place.line == line and kind in (None, s.kind)]

    def assigned(self, part: str) -> list[tuple[str | None, str | None, str | None]]:
        """Target, value before and value after of the assignments in a line."""
        return [(s.target, s.before, s.after) for s in self.at(part, "assign")]


VALUES = """struct node { int v; struct node *next; };
enum color { RED, GREEN = 5 };
static int g = 7;
static unsigned char bytes[3];
int main(int argc, char **argv) {
 struct node first, second, *p = &first;
 int a[3], table[3] = {10, 20, 30}, i = 1, *q = &a[2];
 struct node *r = &second;
 p->next = 0;
 r->v = 2;
 for (int k = 1; k < 3; k++) a[k] = 10 + k * 10;
 double d = 0.5;
 float f = 1.25f;
 char c = 'x';
 enum color col = RED;
 _Bool flag = 0;
 unsigned u = 0;
 long big = 1;
 i = i + 4;
 p->next = &second;
 p = p->next;
 p->v = 9;
 a[argc] = 21;
 *q = 31;
 g += 2;
 bytes[2] = 200;
 d = d * 3;
 f = f + 1;
 c = '\\n';
 col = GREEN;
 flag = argc;
 u = u - 1;
 big = -big << 40;
 i++;
 --i;
 table[argc] = 21;
 return 0; }
"""


COPIED = pytest.mark.xfail(
    strict=True, reason="the value before is unknown where an initialiser of the whole array wrote it"
)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run of straight code with assignments of all types."""
    return Told(tmp_path_factory.mktemp("steps"), VALUES)


@pytest.mark.parametrize(
    ("line", "target", "before", "after"),
    [
        ("i = i + 4;", "i", "1", "5"),
        pytest.param("p->next = &second;", "p->next", "NULL", "&second"),
        pytest.param("p = p->next;", "p", "&first", "&second"),
        ("p->v = 9;", "p->v", "2", "9"),  # r->v was written
        ("a[argc] = 21;", "a[argc]", "20", "21"),
        ("*q = 31;", "*q", "30", "31"),
        ("bytes[2] = 200;", "bytes[2]", None, "200"),
        ("d = d * 3;", "d", "0.5", "1.5"),
        ("f = f + 1;", "f", "1.25", "2.25"),
        ("c = '\\n';", "c", "120 'x'", "10 '\\n'"),
        ("col = GREEN;", "col", "RED", "GREEN"),
        ("flag = argc;", "flag", "false", "true"),
        ("u = u - 1;", "u", "0", "4294967295"),
        ("big = -big << 40;", "big", "1", "-1099511627776"),
        ("i++;", "i", "5", "6"),
        ("--i;", "i", "6", "5"),
        pytest.param("table[argc] = 21;", "table[argc]", "20", "21", marks=COPIED),
    ],
)
def test_assignments(line: str, target: str, before: str | None, after: str, values: Told) -> None:
    assert values.assigned(line) == [(target, before, after)]


def test_before_of_initial_data(values: Told) -> None:
    ((target, before, after),) = values.assigned("g += 2;")
    assert (target, after) == ("g", "9")
    assert before in (None, "7")


def test_several_declarations_in_a_line(values: Told) -> None:
    found = values.assigned("int a[3]")
    assert ("i", None, "1") in found
    assert ("q", None, "&a[2]") in found


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("i = i + 4;", {"i": "1"}),
        pytest.param("p = p->next;", {"p->next": "&second", "p": "&first"}),
        ("flag = argc;", {"argc": "1"}),
        ("d = d * 3;", {"d": "0.5"}),
        ("p->v = 9;", {}),
    ],
)
def test_uses(line: str, uses: dict[str, str], values: Told) -> None:
    (step,) = values.at(line, "assign")
    assert dict(step.uses) == uses


def test_places_are_statements_as_written(values: Told) -> None:
    (step,) = values.at("a[argc] = 21;")
    assert (step.place.text, step.place.function, step.place.column) == ("a[argc] = 21;", "main", 2)
    (last,) = values.at("return 0;", "return")
    assert last.place.text == "return 0;"


def test_before_with_several_ways_to_a_variable(tmp_path: Path) -> None:
    body = """int main(int argc, char **argv) {
 int x = 0, *q = &x;
 *q = 1;
 x = 2;
 *q = 3;
 memset(&x, 0, sizeof x);
 x = 4;
 sscanf("77", "%d", &x);
 *q = 5;
 return 0; }
"""
    told = Told(tmp_path, body)
    truth = {"*q = 1;": "0", "x = 2;": "1", "*q = 3;": "2", "x = 4;": "0", "*q = 5;": "77"}
    said = {line: told.assigned(line)[0][1] for line in truth}
    assert {line: value for line, value in said.items() if value not in (None, truth[line])} == {}


# --- branches, calls ----------------------------------------------------------------------------------------

BRANCHES = """static int kind(int n) {
 switch (n) {
 case 1: return 10;
 case -2: return 20;
 }
 if (n > 5) return 30;
 return 40; }
int main(int argc, char **argv) {
 int x = kind(1) + kind(-2) + kind(7);
 if (x == 60 && argc == 1)
  x = 1;
 if (!x) return 9;
 while (x < 3) x++;
 do x--; while (x);
 return 0; }
"""


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run with decisions of all kinds."""
    return Told(tmp_path_factory.mktemp("steps"), BRANCHES)


@pytest.mark.parametrize(
    ("line", "outcomes"),
    [
        ("switch (n)", ["1", "-2", "7"]),
        ("if (n > 5)", ["true"]),
        ("if (x == 60", ["true", "true"]),
        pytest.param("if (!x)", ["false"]),
        ("while (x < 3)", ["true", "true", "false"]),
        ("do x--;", ["true", "true", "false"]),
    ],
)
def test_outcomes(line: str, outcomes: list[str], branches: Told) -> None:
    assert [s.outcome for s in branches.at(line, "branch")] == outcomes


def test_a_condition_is_one_place_with_its_variables(branches: Told) -> None:
    first, second = branches.at("if (x == 60", "branch")
    assert first.place == second.place
    assert first.place.text == "x == 60 && argc == 1"
    assert dict(first.uses) == {"x": "60"}
    assert dict(second.uses) == {"argc": "1"}


def test_only_steps_have_their_fields(branches: Told) -> None:
    for step in branches.all:
        assert step.kind in ("assign", "branch", "call", "return")
        assert (step.outcome is None) == (step.kind != "branch")
        if step.kind != "assign":
            assert (step.target, step.before, step.after) == (None, None, None)


def test_frames_and_depth(branches: Told) -> None:
    inside = branches.at("switch (n)", "branch")
    assert [s.depth for s in inside] == [1, 1, 1]
    assert len({s.frame for s in inside}) == 3
    assert {s.depth for s in branches.at("if (!x)")} == {0}


# --- loops --------------------------------------------------------------------------------------------------

LOOPS = """static int total;
static void rec(int n) {
 int k = 0;
 while (k < n) {
  k++;
  total += 100;
  rec(n - 1);
 } }
int main(int argc, char **argv) {
 for (int i = 0; i < 3; i++)
  for (int j = 0; j <= i; j++)
   total += 1;
 do
  total += 10;
 while (total < 30);
 rec(2);
 for (;;) {
  total += 1000;
  if (total > 2500) break; }
 return 0; }
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run with nested loops and a loop in a recursive function."""
    return Told(tmp_path_factory.mktemp("steps"), LOOPS)


def rounds(told: Told, part: str) -> list[list[tuple[int, int]]]:
    """Number and total of the rounds around each assignment of a line, innermost first."""
    return [[(r.number, r.total) for r in s.loops] for s in told.at(part, "assign")]


def test_nested_loops(loops: Told) -> None:
    assert rounds(loops, "total += 1;") == [
        [(1, 1), (1, 3)],
        [(1, 2), (2, 3)],
        [(2, 2), (2, 3)],
        [(1, 3), (3, 3)],
        [(2, 3), (3, 3)],
        [(3, 3), (3, 3)],
    ]


def test_loops_know_their_line(loops: Told) -> None:
    inner, outer = loops.at("total += 1;", "assign")[0].loops
    assert (inner.line, outer.line) == (loops.program.line_of("for (int j"), loops.program.line_of("for (int i"))
    assert isinstance(inner, Iteration)


def test_do_loop(loops: Told) -> None:
    assert rounds(loops, "total += 10;") == [[(1, 3)], [(2, 3)], [(3, 3)]]


def test_loop_left_by_break(loops: Told) -> None:
    assert [numbers for ((numbers, _),) in rounds(loops, "total += 1000;")] == [1, 2, 3]


def test_loop_in_a_recursion(loops: Told) -> None:
    steps = loops.at("total += 100;", "assign")
    assert [s.depth for s in steps] == [1, 2, 1, 2]
    assert rounds(loops, "total += 100;") == [[(1, 2)], [(1, 1)], [(2, 2)], [(1, 1)]]


def test_no_loops_outside(loops: Told) -> None:
    assert [s.loops for s in loops.at("rec(2);", "call")] == [()]


# --- callers, enclosing decisions ---------------------------------------------------------------------------

CALLS = """static int hits;
static int leaf(int n) {
 if (n > 1)
  while (n < 4) {
   if (n == 3)
    hits += n;
   n++; }
 return n; }
static int middle(int n) { return leaf(n + 1); }
static int order(const void *a, const void *b) {
 return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
 int a[2] = {2, 1};
 middle(argc);
 qsort(a, 2, sizeof *a, order);
 return 0; }
"""


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run with calls, one of them from the library."""
    return Told(tmp_path_factory.mktemp("steps"), CALLS)


def test_callers(calls: Told) -> None:
    (step,) = calls.at("hits += n;", "assign")
    assert [p.text for p in calls.steps.callers(step.node[0])] == ["return leaf(n + 1);", "middle(argc);"]
    assert step.depth == 2


def test_callers_through_the_library(calls: Told) -> None:
    step = calls.at("return *(const int *)a", "return")[0]
    assert [p.text for p in calls.steps.callers(step.node[0])] == ["qsort(a, 2, sizeof *a, order);"]
    assert step.depth == 1


def test_enclosing_decisions(calls: Told) -> None:
    (step,) = calls.at("hits += n;", "assign")
    assert [p.text for p in calls.steps.enclosing(step.node[0])] == ["n == 3", "n < 4", "n > 1"]
    (outer,) = calls.at("middle(argc);", "call")
    assert calls.steps.enclosing(outer.node[0]) == []


def test_arguments_of_main(tmp_path: Path) -> None:
    told = Told(
        tmp_path,
        "int main(int argc, char **argv) {\n char *p = argv[1];\n char **q = argv + 1;\n return p != *q; }\n",
        ("word",),
    )
    assert told.assigned("char *p") == [("p", None, '"word"')]


# --- structs in registers -----------------------------------------------------------------------------------

STRUCTS = """typedef struct { int row, col; } pos;
typedef struct { float x, y; } spot;
typedef struct { double x, y; } point;
typedef struct { long a; int b; short c; char d; } mix;
typedef struct { const char *name; int n; } named;
typedef struct { int a, b, c; } three;
typedef union { int i; float f; } either;
typedef struct { unsigned lo : 4, hi : 12; int v; } bits;
typedef struct { struct { pos from; }; char tag[4]; } deep;
static int of_pos(pos p) { return p.row + p.col; }
static float of_spot(spot p) { return p.x + p.y; }
static double of_point(point p) { return p.x + p.y; }
static long of_mix(mix p) { return p.a + p.b + p.c + p.d; }
static int of_named(named p) { return p.n; }
static int of_three(three p) { return p.a + p.b + p.c; }
static float of_either(either p) { return p.f; }
static int of_bits(bits p) { return p.lo + p.v; }
static int of_deep(deep p) { return p.from.row; }
static pos new_pos(int a, int b) { pos p = {a, b}; return p; }
static point new_point(double a, double b) { point p = {a, b}; return p; }
static three new_three(int a) { three p = {a, -a, 5}; return p; }
int main(int argc, char **argv) {
 pos p1 = {argc, 4};
 int n1 = of_pos(p1);
 spot p2 = {1.5f, 2.5f}; float n2 = of_spot(p2);
 point p3 = {1.5, 2.5}; double n3 = of_point(p3);
 mix p4 = {1, 2, 3, 4}; long n4 = of_mix(p4);
 named p5 = {"word", 3}; int n5 = of_named(p5);
 three p6 = {1, 2, 3}; int n6 = of_three(p6);
 either p7 = {.f = 2.5f}; float n7 = of_either(p7);
 bits p8 = {3, 4, 5}; int n8 = of_bits(p8);
 p8.hi = 9;
 deep p9 = {{{6, 7}}, "abc"}; int n9 = of_deep(p9);
 pos *heap = malloc(sizeof *heap); *heap = p1; int n10 = of_pos(*heap);
 pos q1 = new_pos(3, -1);
 point q2 = new_point(0.5, 8.5);
 three q3 = new_three(7);
 q1 = new_pos(5, 6);
 int n11 = of_pos(new_pos(8, 9));
 return 0; }
"""


@pytest.fixture(scope="module")
def structs(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run that passes and returns structs in registers, in all ways that the ABI has."""
    return Told(tmp_path_factory.mktemp("steps"), STRUCTS)


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("n1 =", {"p1": "{row = 1, col = 4}"}),
        ("n2 =", {"p2": "{x = 1.5, y = 2.5}"}),
        ("n3 =", {"p3.x": "1.5", "p3.y": "2.5"}),
        ("n4 =", {"p4.a": "1", "p4.b": "2", "p4.c": "3", "p4.d": "4"}),
        ("n5 =", {"p5.name": '"word"', "p5.n": "3"}),
        ("n6 =", {"p6.a": "1", "p6.b": "2", "p6.c": "3"}),
        ("n7 =", {"p7": "{i = 1075838976, f = 2.5}"}),
        ("n8 =", {"p8": "{lo = 3, hi = 4, v = 5}"}),
        ("n9 =", {"p9.from": "{row = 6, col = 7}", "p9.tag": '"abc"'}),
        ("n10 =", {"heap": "&(pos of line 42)"}),
        ("return p.lo + p.v;", {"p.lo": "3", "p.v": "5"}),
        ("return p.f;", {"p.f": "2.5"}),
        ("return p.from.row;", {"p.from.row": "6"}),
    ],
)
def test_structs_that_are_read(line: str, uses: dict[str, str], structs: Told) -> None:
    kind = "return" if line.startswith("return") else "assign"
    (step,) = [s for s in structs.at(line, kind) if s.uses]
    assert dict(step.uses) == uses


@pytest.mark.parametrize(
    ("line", "assigned"),
    [
        ("pos p1 =", [("p1.row", "1"), ("p1.col", "4")]),
        ("n1 =", [("p", "{row = 1, col = 4}"), ("n1", "5")]),
        ("n3 =", [("p.x", "1.5"), ("p.y", "2.5"), ("n3", "4.0")]),
        ("n4 =", [("p.a", "1"), ("p", "{..., b = 2, c = 3, d = 4}"), ("n4", "10")]),
        ("n6 =", [("p", "{a = 1, b = 2, ...}"), ("p.c", "3"), ("n6", "6")]),
        ("p8.hi = 9;", [("p8.hi", "9")]),
        ("n10 =", [("heap", "&(pos of line 42)"), ("p", "{row = 1, col = 4}"), ("n10", "5")]),
        ("pos q1 =", [("a", "3"), ("b", "-1"), ("q1", "{row = 3, col = -1}")]),
        ("point q2 =", [("a", "0.5"), ("b", "8.5"), ("q2.x", "0.5"), ("q2.y", "8.5")]),
        ("three q3 =", [("a", "7"), ("q3", "{a = 7, b = -7, c = 5}")]),
        (" q1 = new_pos(5, 6);", [("a", "5"), ("b", "6"), ("q1", "{row = 5, col = 6}")]),
        ("n11 =", [("a", "8"), ("b", "9"), (None, "{8, 9}"), ("p", "{row = 8, col = 9}"), ("n11", "17")]),
    ],
)
def test_structs_that_are_written(line: str, assigned: list[tuple[str | None, str]], structs: Told) -> None:
    assert [(target, after) for target, _, after in structs.assigned(line)] == assigned


def test_before_of_a_bit_field(structs: Told) -> None:
    assert structs.assigned("p8.hi = 9;") == [("p8.hi", "4", "9")]


# --- what stands in a macro ---------------------------------------------------------------------------------

MACROS = """#include <ctype.h>
#include <errno.h>
struct state { int pos, size; };
static struct state the, *st = &the;
#define cur (st->pos)
#define room (st->size - st->pos)
#define GET(s) ((s)->size)
int main(int argc, char **argv) {
 int c = 'q', n = 0;
 st->pos = 3; st->size = 9; errno = 5;
 if (islower(c)) n++;
 int d = isdigit(c) != 0;
 int e = cur + 1;
 int f = room + 1;
 int g = GET(st) + 1;
 int h = errno + 1;
 return 0; }
"""


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("if (islower(c))", {"c": "113"}),
        ("int d", {"c": "113"}),
        ("int e", {"cur": "3", "st": "&the"}),
        ("int f", {"st": "&the"}),
        ("int g", {"st": "&the"}),
        ("int h", {"errno": "5"}),
    ],
)
def test_a_macro_is_no_variable(line: str, uses: dict[str, str], macros: Told) -> None:
    step = next(s for s in macros.at(line) if s.kind in ("assign", "branch"))
    assert dict(step.uses) == uses


@pytest.fixture(scope="module")
def macros(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run of statements with macros of the library and of the program."""
    return Told(tmp_path_factory.mktemp("steps"), MACROS)


# --- conditions of several parts ----------------------------------------------------------------------------

CONDITIONS = """#define IS_LEAP(y) ((y) % 4 == 0 && ((y) % 100 != 0 || (y) % 400 == 0))
#define NOT_BOTH(a, b) (!((a) && (b)))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CHECK(c) do { if (!(c)) n += 100; } while (0)
static int n;
static int tick(int *p) { return *p += 1; }
static void test(int a, int b) {
 n += IS_LEAP(a) ? 366 : 365;
 n += NOT_BOTH(a, b) ? 4 : 5;
 n += !(a && b) ? 1 : 2;
 int v1 = a && b;
 int v2 = !(a && b);
 int v3 = a || (b && v1);
 int v4 = a && (b = b * 1);
 int v5 = tick(&n) > 0 && (a ? b : v1);
 if (IS_LEAP(a) && b) n++;
 if (!IS_LEAP(a)) n++;
 if (MAX(a, b) > 2000) n++;
 if ((a > b ? a : b) == 1) n++;
 if ((a && b) == (b && !a)) n++;
 if ((a > 0 ? b : v2) > 0 && v1) n++;
 if (v1 || (a > 0 ? b : v2) > 1) n++;
 for (int k = 0; k < 2 && !(k && b); k++) n++;
 CHECK(a && b);
 CHECK(!(a && !b));
 assert(a >= 0 && b >= 0);
 assert(!(a < 0 || b < 0));
 tick(a && b ? &n : &v1); }
int main(int argc, char **argv) {
 test(2000, 0);
 test(1900, 1);
 test(0, 1);
 test(1, 0);
 return 0; }
"""
TRUTHS = {
    "n += IS_LEAP(a)": "TFTF",
    "n += NOT_BOTH(a, b)": "TFTT",
    "n += !(a && b)": "TFTT",
    "int v1": "FTFF",
    "int v2": "TFTT",
    "int v3": "TTFT",
    "int v4": "FTFF",
    "int v5": "FTFF",
    "if (IS_LEAP(a) && b)": "FFTF",
    "if (!IS_LEAP(a))": "FTFT",
    "if (MAX(a, b) > 2000)": "FFFF",
    "if ((a > b ? a : b) == 1)": "FFTT",
    "if ((a && b) == (b && !a))": "TFFT",
    "if ((a > 0 ? b : v2) > 0 && v1)": "FTFF",
    "if (v1 ||": "FTFF",
    "CHECK(a && b)": "FTFF",
    "CHECK(!(a && !b))": "FTTF",
    "assert(a >= 0": "TTTT",
    "assert(!(a < 0": "TTTT",
    "tick(a && b ?": "FTFF",
}


@pytest.fixture(scope="module")
def conditions(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A run that evaluates conditions made of several branches."""
    return Told(tmp_path_factory.mktemp("steps"), CONDITIONS)


@pytest.mark.parametrize("line", TRUTHS)
def test_the_outcome_is_that_of_the_whole_text(line: str, conditions: Told) -> None:
    steps = conditions.at(line, "branch")
    frames = sorted({s.frame for s in steps})
    said = [
        {
            s.outcome
            for s in steps
            if s.frame == frame and s.place.role == "condition" and s.place.text not in ("a", "a > 0")
        }
        for frame in frames
    ]
    assert said == [{"true" if truth == "T" else "false"} for truth in TRUTHS[line]]


def test_the_outcome_of_each_round(conditions: Told) -> None:
    steps = conditions.at("for (int k", "branch")
    ends = [s.outcome for s in steps if s.frame == steps[0].frame]
    assert ends[0] == "true"
    assert ends[-1] == "false"


def test_a_macro_that_is_no_condition_has_no_outcome(conditions: Told) -> None:
    steps = conditions.at("CHECK(a && b)", "branch")
    assert {s.outcome for s in steps if s.place.role != "condition"} <= {None}


def test_a_condition_that_was_not_finished_has_no_outcome(tmp_path: Path) -> None:
    told = Told(
        tmp_path, "int main(int argc, char **argv) {\n int *p = 0;\n if (argc == 1 && *p) return 1;\n return 0; }\n"
    )
    assert {s.outcome for s in told.at("if (argc == 1", "branch")} == {None}


def test_a_merged_condition_shows_what_decided(tmp_path: Path) -> None:
    told = Told(
        tmp_path,
        "int main(int argc, char **argv) {\n int i = 0, n = 2;\n while (argc == 1 && i < n) i++;\n return 0; }\n",
    )
    steps = told.at("while (argc", "branch")
    assert [(s.outcome, dict(s.uses)) for s in steps[-2:]] == [
        ("false", {"argc": "1"}),
        ("false", {"i": "2", "n": "2"}),
    ]
