"""The interpreter of Boogie programs agrees with the paths that exploration found and with a second interpreter."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from butfor.frontends.boogie.boogie_syntax import Type
from butfor.frontends.boogie.explore_paths import explore
from butfor.frontends.boogie.interpreter import End, Given, given_by, run
from butfor.logic.sorts import MapValue
from tests.frontends.boogie.helpers import unit_of
from tests.frontends.boogie.programs import Run, Tree, programs, rendered


def outcome(source: str, **start: object) -> tuple[End, int | None]:
    """How the program ends with these values of its parameters, and the line of the check that failed."""
    unit = unit_of(source)
    found = run(unit, unit.entry(None), Given(start))
    return found.end, found.at.line if found.at is not None else None


@pytest.mark.parametrize(
    ("statement", "n", "end"),
    [
        ("assert n div 2 == -4;", -7, End.RETURNED),
        ("assert n mod 2 == 1;", -7, End.RETURNED),
        ("assert n div -2 == 4;", -7, End.RETURNED),
        ("assert n mod -2 == 1;", -7, End.RETURNED),
        ("assert real(n) / 2.0 == -3.5;", -7, End.RETURNED),
        ("assert int(real(n) / 2.0) == -4;", -7, End.RETURNED),
        ("assert n != -7;", -7, End.FAILED),
        ("assume n > 0;", -7, End.BLOCKED),
        ("while (n < 0) { n := n; }", -7, End.TOO_LONG),
    ],
)
def test_statement(statement: str, n: int, end: End) -> None:
    source = f"procedure main(a: int) {{\n var n: int;\n n := a;\n {statement}\n}}\n"
    assert outcome(source, a=n)[0] is end


def test_bit_vectors_wrap_around() -> None:
    source = """function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8) returns (bv8);
    function {:bvbuiltin "bvslt"} less(x: bv8, y: bv8) returns (bool);
    function {:bvbuiltin "sign_extend 8"} wide(x: bv8) returns (bv16);
    procedure main(x: bv8) { assert add(x, 200bv8) == 44bv8; assert less(200bv8, x);
     assert wide(200bv8) == 65480bv16; assert 1bv8 ++ x == 356bv16; assert (1bv8 ++ x)[9:8] == 1bv1; }
    """
    assert outcome(source, x=100) == (End.RETURNED, None)


def test_calls_loops_and_maps() -> None:
    source = """var g: [int]int;
    procedure twice(n: int) returns (r: int) requires n >= 0; ensures r == 2 * n; { r := n + n; }
    procedure main(n: int) modifies g; {
     var i, k: int;
     i := 0;
     while (i < n) { call k := twice(i); g[k] := i; i := i + 1; }
     assert g[4] == 2; assert old(g)[4] == 7;
     assert g[8] == 7;
    }
    """
    assert outcome(source, n=4, g=MapValue(7)) == (End.RETURNED, None)
    assert outcome(source, n=5, g=MapValue(7)) == (End.FAILED, 8)


def test_the_precondition_of_a_call_is_checked_where_it_is_called() -> None:
    source = """procedure half(n: int) returns (r: int); requires n >= 0;
    ensures r * 2 <= n;
    procedure main(n: int) {
     var k: int;
     call k := half(n);
     assert k >= 0;
    }
    """
    assert outcome(source, n=-1) == (End.FAILED, 5)
    unit = unit_of(source)
    chosen = {(5, 6): (-3,)}
    found = run(unit, unit.entry(None), Given({"n": 4}, chosen))
    assert (found.end, found.at and found.at.line) == (End.FAILED, 6)
    assert run(unit, unit.entry(None), Given({"n": 4}, {(5, 6): (3,)})).end is End.BLOCKED


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs)
def test_it_fails_where_exploration_says_and_ends_as_another_interpreter_does(program: list[Tree]) -> None:
    source, tree = rendered(program)
    unit = unit_of(source)
    flow = unit.entry(None)
    for failure in explore(unit, flow, 2, 10.0).failures:
        found = run(unit, flow, given_by(failure.path))
        assert found.end is End.FAILED
        assert found.at is not None
        assert found.at.line == failure.path.place.line
    for p, q in itertools.product((-2, 0, 3), (-1, 1)):
        start = {"p": p, "q": q, "x": 1, "y": 0}
        other = Run(start, {0: 2}, q, itertools.cycle((1, 0)), 20).go(tree)
        values = itertools.cycle((1, 0))

        def choose(_: Type, values: Iterator[int] = values) -> int:
            return next(values)

        found = run(unit, flow, Given({**start, "m": MapValue(q, {0: 2})}, otherwise=choose), max_steps=10_000)
        if other.failed is not None:
            assert (found.end, found.at and found.at.line) == (End.FAILED, other.failed)
