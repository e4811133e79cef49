"""The run in source terms: what was assigned, decided and called, with values, rounds of loops and callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.trace.dependence import Dependence
from butfor.trace.objects import Objects
from butfor.trace.places import Places
from butfor.trace.steps import Iteration, Step, Steps
from tests.small import recorded, source


class Told:
    """All steps of a run of a program."""

    def __init__(self, folder: Path, body: str, args: tuple[str, ...] = ()) -> None:
        self.program = source(body)
        self.recording = recorded(folder, self.program, args=list(args))
        trace = self.recording.trace
        self.steps = Steps(Places(self.recording), Objects(self.recording), Dependence(trace))
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


COPIED = pytest.mark.xfail(strict=True, reason="the value before is unknown where an initialiser of the whole array wrote it")


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


# --- branches, calls ------------------------------------------------------------------------------------------------------------

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


# --- loops ----------------------------------------------------------------------------------------------------------------------

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


# --- callers, enclosing decisions -----------------------------------------------------------------------------------------------

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
    told = Told(tmp_path, "int main(int argc, char **argv) {\n char *p = argv[1];\n char **q = argv + 1;\n return p != *q; }\n", ("word",))
    assert told.assigned("char *p") == [("p", None, '"word"')]
