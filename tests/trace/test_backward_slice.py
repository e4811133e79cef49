"""Slices of small programs: what is in each of the three, and what is not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from butfor.trace.dependence import backward_slice
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.edge_costs import COSTS
from butfor.trace.dependence.sliced_instances import KINDS, Slice
from tests.small import Source, case_of, recorded, source


@dataclass(frozen=True)
class Sliced:
    """The slices of the failure of a run."""

    program: Source
    slices: dict[str, Slice]
    lines: dict[str, set[int]]

    def has(self, part: str, kind: str) -> bool:
        """Whether the only line with this text is in a slice."""
        return self.program.line_of(part) in self.lines[kind]


def sliced(folder: Path, body: str, limit: int | None = None, **knobs: object) -> Sliced:
    """The slices of the failure of a program."""
    program = source(body)
    case = case_of(recorded(folder, program, **knobs))
    slicer = Slicer(case.dependence)
    slices = {kind: slicer.backward(case.point.roots, kind, case.point.node, limit) for kind in KINDS}
    lines: dict[str, set[int]] = {}
    for kind, s in slices.items():
        places = [case.places.of(node) for node in s.distance if node[1] < 0 or case.trace.instr(node).op != "alloca"]
        lines[kind] = {p.line for p in places if p is not None}
    assert lines["data"] <= lines["control"] <= lines["relevant"]
    found = [case.objects.globals.at(address) for address in slices["data"].initial]
    lines["initial"] = {p.line for o in found if o is not None for p in case.places.initialisers(*o)}
    return Sliced(program, slices, lines)


# In each program: `data`, `control` and `relevant` mark the lines that are in this slice and not in the one before;
# `initial` marks data that the data slice ends at; `none` is in no slice.
PROGRAMS = {
    "values": """int main(int argc, char **argv) {
 int a = argc + 1; // data
 int b = argc + 2; // none
 int c = a * 2; // data
 b++; // none
 assert(c == 5);
 return b; }
""",
    "decisions": """int main(int argc, char **argv) {
 int limit = argc + 3; // control
 int x = 1; // none
 int other = 0; // none
 if (limit > 2) // control
  x = 2; // data
 if (limit > 100) // relevant
  x = 3;
 if (limit > 1) // none
  other = 1; // none
 assert(x == 7);
 return other; }
""",
    "pointers": """int main(int argc, char **argv) {
 int a = 1, b = 2, unused = 3; // none
 int *p = &a; // none
 if (argc == 1) // control
  p = &b; // data
 *p = argc + 5; // data
 unused++; // none
 assert(b == 1);
 return unused + *p; }
""",
    "members and elements": """struct s { int x, y; };
int main(int argc, char **argv) {
 struct s t[2];
 t[0].x = argc; // none
 t[1].x = argc + 1; // data
 t[1].y = argc + 2; // none
 t[0].y = t[1].x; // data
 assert(t[0].y == 1);
 return t[0].x + t[1].y; }
""",
    "struct copies": """struct s { int x, y; char name[20]; };
int main(int argc, char **argv) {
 struct s a, b, c;
 memset(&a, 0, sizeof a); // none
 a.x = argc; // data
 a.y = argc + 1; // none
 b = a; // data
 memcpy(&c, &b, sizeof c); // data
 c.y = 5; // none
 assert(c.x == 7);
 return a.y; }
""",
    "library calls": """int main(int argc, char **argv) {
 char word[20], number[20], other[20];
 strcpy(other, "77"); // none
 strcpy(word, "12"); // data
 snprintf(number, sizeof number, "%s%d", word, argc); // data
 int n = atoi(number); // data
 int m = atoi(other); // none
 assert(n == 5);
 return m; }
""",
    "calls and returns": """static int noise;
static int add(int a, int b) {
 noise++; // none
 return a + b; } // data
static int skip(int a) {
 return a * 2; } // none
int main(int argc, char **argv) {
 int x = add(argc, 2); // data
 int y = skip(argc); // none
 assert(x == 9);
 return y; }
""",
    "callbacks": """static int up = -1; // initial
static int calls;
static int order(const void *a, const void *b) {
 calls++; // none
 return up * (*(const int *)a - *(const int *)b); } // data
int main(int argc, char **argv) {
 int a[2] = {argc, 2}; // data
 qsort(a, 2, sizeof *a, order); // data
 assert(a[0] == 1);
 return calls; }
""",
    "function pointers": """static int one(int n) { return n + 1; } // none
static int two(int n) {
 return n + 2; } // data
int main(int argc, char **argv) {
 int (*f)(int) = one; // none
 if (argc == 1) f = two; // data
 int x = f(argc); // data
 assert(x == 2);
 return 0; }
""",
    "longjmp": """static jmp_buf env;
static void fail(int code) {
 longjmp(env, code + 1); } // data
int main(int argc, char **argv) {
 int noise = argc; // none
 int code = setjmp(env); // data
 if (code == 0) // control
  fail(argc + 5); // data
 assert(code == 0);
 return noise; }
""",
    "variable arguments": """static int sum(int n, ...) {
 va_list ap;
 int s = 0; // data
 va_start(ap, n);
 while (n-- > 0) // control
  s += va_arg(ap, int); // data
 va_end(ap);
 return s; } // data
int main(int argc, char **argv) {
 int a = argc; // data
 int unused = 4; // none
 int x = sum(2, a, 40); // data
 assert(x == 42);
 return unused; }
""",
    "both sides of a condition": """int main(int argc, char **argv) {
 int a = argc, b = argc + 1; // data
 int c = 0; // none
 int ok = a == 1 && b == 3; // data
 c++; // none
 assert(ok);
 return c; }
""",
    "an assignment that was skipped in a call": """static int state = 1;
static void set(int n) {
 if (n > 5) // relevant
  state = n; }
int main(int argc, char **argv) {
 int n = argc + 1; // relevant
 set(n); // relevant
 assert(state == 9);
 return 0; }
""",
    "a loop": """int main(int argc, char **argv) {
 int s = 0, t = 0; // data
 for (int i = 0; i < 4; i++) { // data
  s += i; // data
  t += i; // none
 }
 assert(s == 7);
 return t; }
""",
    "globals through memory": """static int table[4] = {1, 2, 3, 4}; // initial
static int other[4] = {9, 9, 9, 9}; // none
int main(int argc, char **argv) {
 int k = argc + 1; // data
 other[0] = k; // none
 assert(table[k] == 9);
 return 0; }
""",
    "input": """int main(int argc, char **argv) {
 char line[20];
 fgets(line, sizeof line, stdin); // data
 int n = 0, m = 0;
 sscanf(line, "%d %d", &n, &m); // data
 assert(n == 1);
 return 0; }
""",
}


def expectations(program: Source) -> dict[int, str]:
    """What the comments say, by line."""
    return {n: line.split("// ")[1] for n, line in enumerate(program.text.splitlines(), 1) if "// " in line}


@pytest.mark.parametrize("name", PROGRAMS)
def test_slices(name: str, tmp_path: Path) -> None:
    s = sliced(tmp_path, PROGRAMS[name], stdin=b"12 34\n")
    found = {}
    for line in expectations(s.program):
        found[line] = next((kind for kind in (*KINDS, "initial") if line in s.lines[kind]), "none")
    assert found == expectations(s.program)
    assert all(x.complete for x in s.slices.values())


def test_every_instance_was_reached_from_another(tmp_path: Path) -> None:
    s = sliced(tmp_path, PROGRAMS["decisions"]).slices["relevant"]
    roots = set(s.distance) - set(s.reached)
    assert roots
    assert all(s.distance[n] == 0.0 for n in roots)
    assert all(edge in COSTS and s.distance[node] > 0.0 for node, edge in s.reached.items())


# --- bounds -------------------------------------------------------------------------------------------------

LONG = """int main(int argc, char **argv) {
 int start = argc * 3; // before the loop
 int s = start; // first value
 for (int i = 0; i < 3000; i++)
  s = s + i % 3; // in the loop
 assert(s == 1);
 return 0; }
"""


def test_long_loops_are_folded_but_lead_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_slice, "MIN_SEGMENTS_FOR_KERNEL", 10**9)  # the kernel folds nothing
    monkeypatch.setattr(backward_slice, "MAX_INSTANCES_PER_INSTRUCTION", {"data": 50, "control": 50, "relevant": 50})
    s = sliced(tmp_path, LONG)
    for kind in KINDS:
        assert s.has("before the loop", kind)
        assert s.has("first value", kind)
        assert s.has("in the loop", kind)
        assert not s.slices[kind].complete
        assert len(s.slices[kind].distance) < 3000


def test_recursions_are_folded_but_lead_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_slice, "MIN_SEGMENTS_FOR_KERNEL", 10**9)
    monkeypatch.setattr(backward_slice, "MAX_INSTANCES_PER_INSTRUCTION", {"data": 20, "control": 20, "relevant": 20})
    body = """static int down(int n, int acc) {
 if (n == 0)
  return acc;
 return down(n - 1, acc + 1); }
int main(int argc, char **argv) {
 int first = argc + 4; // before
 int s = down(300, first);
 assert(s == 1);
 return 0; }
"""
    s = sliced(tmp_path, body)
    assert all(s.has("// before", kind) for kind in KINDS)


def test_without_a_bound_it_is_complete(tmp_path: Path) -> None:
    s = sliced(tmp_path, LONG.replace("3000", "30"))
    assert all(x.complete for x in s.slices.values())


def test_a_limit_gives_the_nearest_part(tmp_path: Path) -> None:
    whole, part = sliced(tmp_path, LONG.replace("3000", "30")), sliced(tmp_path, LONG.replace("3000", "30"), limit=20)
    for kind in KINDS:
        assert not part.slices[kind].complete
        assert len(part.slices[kind].distance) == 20
        farthest = max(part.slices[kind].distance.values())
        assert set(part.slices[kind].distance) <= set(whole.slices[kind].distance)
        assert all(n in part.slices[kind].distance for n, d in whole.slices[kind].distance.items() if d < farthest)


def test_time_can_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_slice, "MIN_SEGMENTS_FOR_KERNEL", 10**9)
    case = case_of(recorded(tmp_path, LONG))
    s = Slicer(case.dependence, lambda: True).backward(case.point.roots, "data", case.point.node)
    assert not s.complete
    assert 0 < len(s.distance) < 300
