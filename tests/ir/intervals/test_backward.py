"""What values keep proved checks, and what proofs depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.explanation import FailureKind
from butfor.failures.find_failure import find_failure
from butfor.ir.instructions import Instr
from butfor.ir.intervals.proved_facts import Interval, StaticFacts
from butfor.ir.program import Program
from butfor.trace.dependence.dependence import Dependence
from tests.ir.intervals.test_precision import HEAD, facts_of
from tests.small import recorded

SUM = (
    "int sum(int *a, int n) { int s = 0; for (int i = 0; i <= n; ++i) s += a[i]; return s; }\n"
    "int f(int n) { int a[10] = {0}; return sum(a, 10); }"
)


def stores(program: Program, name: str) -> list[Instr]:
    """The stores of constants and results of a function, without those of its parameters."""
    fn = program.function(name)
    return [i for i in fn.instrs if i.op == "store" and not (isinstance(i.args[0], int) and fn.definer[i.args[0]] < 0)]


def found(tmp_path: Path, text: str, name: str = "f") -> tuple[list[Interval | None], list[bool], StaticFacts]:
    """What each store of a function may be, and whether it is trusted."""
    program, facts = facts_of(tmp_path, text)
    all_stores = stores(program, name)
    return (
        [facts.allowed.get((name, i.index)) for i in all_stores],
        [(name, i.index) in facts.trusted for i in all_stores],
        facts,
    )


def test_the_example_of_the_paper(tmp_path: Path) -> None:
    text = "int f(int n) { int e, j = 0; e = 4; e = e - 2; e = e - 1; j = j + 1; assert(e <= 2); return j; }"
    allowed, trusted, _ = found(tmp_path, text)
    assert allowed[:5] == [None, Interval(None, 5), Interval(None, 3), Interval(None, 2), None]
    assert trusted[:5] == [False, True, True, False, False]


def test_the_start_of_a_loop_is_trusted(tmp_path: Path) -> None:
    allowed, trusted, facts = found(tmp_path, SUM, "sum")
    s, start, _, step = range(4)
    assert allowed[start] == Interval(0, None)
    assert trusted[start]
    assert allowed[s] is None
    assert not trusted[s]
    assert not trusted[step]
    assert {c.kind: c.verdict for c in facts.checks if c.function == "sum"} == {
        "null": "proved",
        "bounds-low": "proved",
        "bounds-high": "open",
    }


def test_a_condition_is_trusted(tmp_path: Path) -> None:
    program, facts = facts_of(tmp_path, "int f(int n) { int a[10]; for (int i = 0; i < 10; i++) a[i] = n; return 0; }")
    ops = {program.function("f").instrs[i].op for name, i in facts.trusted if name == "f"}
    assert ops >= {"icmp", "br", "store"}


def test_what_is_checked_before_use_is_free(tmp_path: Path) -> None:
    allowed, trusted, _ = found(
        tmp_path,
        "int f(int n) { int a[4] = {0}; int i = 2; if (n > 3) i = -1; if (i >= 0 && i < 4) return a[i]; return 0; }",
    )
    assert set(allowed) == {None}
    assert not any(trusted)


def test_an_argument_is_restricted_through_the_call(tmp_path: Path) -> None:
    text = "static int t[4];\nint get(int i) { return t[i]; }\nint f(int n) { int k; k = 2; return get(k); }"
    allowed, _, _ = found(tmp_path, text)
    assert allowed[0] == Interval(0, 3)


VIOLATED = {  # a program with a constant as VALUE, the constant, the store of it, in the function f
    "start of a loop": (
        "int f(int n) { int a[10], s = 0; int i = VALUE; while (i < 10) { a[i] = s; i++; } return s; }",
        0,
        1,
    ),
    "downwards": (
        "int f(int n) { int a[10], s = 0; int i = VALUE; while (i >= 0) { a[i] = s; i--; } return s; }",
        9,
        1,
    ),
    "through arithmetic": ("int f(int n) { int a[10] = {0}; int i = VALUE; int k = 2 * i + 1; return a[k]; }", 3, 0),
    "an assertion": ("int f(int n) { int e = VALUE; e = e - 2; assert(e <= 2); return e; }", 4, 0),
    "a divisor's part": ("int f(int n) { int a[3] = {1, 2, 3}; int k = VALUE; k = k - 1; return 10 / a[k]; }", 2, 0),
}


@pytest.mark.parametrize("name", VIOLATED)
def test_what_is_not_allowed_violates_a_proved_check(name: str, tmp_path: Path) -> None:
    text, value, number = VIOLATED[name]
    allowed, _, _ = found(tmp_path, text.replace("VALUE", str(value)))
    interval = allowed[number]
    assert interval is not None
    outside = [
        v
        for v in (
            None if interval.low is None else interval.low - 1,
            None if interval.high is None else interval.high + 1,
        )
        if v is not None
    ]
    assert outside
    for k, wrong in enumerate(outside):
        folder = tmp_path / str(k)
        folder.mkdir()
        run = recorded(
            folder,
            HEAD + text.replace("VALUE", str(wrong)) + "\nint main(int argc, char **argv) { return f(argc) & 0; }\n",
        )
        failure = find_failure(run, Dependence(run.trace)).failure
        assert failure is not None, wrong
        assert failure.kind in (FailureKind.MEMORY, FailureKind.ASSERTION, FailureKind.SIGNAL)
