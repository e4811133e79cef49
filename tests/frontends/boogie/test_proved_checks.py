"""Checks that ranges prove: the paper's example, loops and calls, and no proof that a run refutes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings

from butfor.frontends.boogie.proved_checks import program_facts
from butfor.path.program_facts import ProgramFacts
from tests.frontends.boogie.helpers import unit_of
from tests.frontends.boogie.programs import Run, Tree, programs, rendered

SMALL = (-2, 0, 1, 3)
BOUND = 3


def facts_of(source: str) -> ProgramFacts:
    unit = unit_of(source)
    return program_facts(unit, unit.entry(None))


def verdicts(source: str) -> dict[str, str]:
    return {c.text: c.verdict for c in facts_of(source).checks}


FIGURE = """procedure main() { var e, j: int;
  e := 4;
  e := e - 2;
  e := e - 1;
  j := j + 1;
  assert e <= 2;
}
"""


def test_projections_and_relevant_edges_are_those_of_the_paper() -> None:
    found = facts_of(FIGURE)
    assert [c.verdict for c in found.checks] == ["proved"]
    assert {p.line: bounds for p, bounds in found.allowed.items()} == {2: (None, 5), 3: (None, 3), 4: (None, 2)}
    assert {p.line for p in found.trusted} == {2, 3}


def test_the_parts_of_a_check_are_proved_one_by_one() -> None:
    source = """procedure main() { var i, n: int; n := 10; i := 0;
      while (i <= n) { assert 0 <= i && i < 10; i := i + 1; } }"""
    assert verdicts(source) == {"0 <= i": "proved", "i < 10": "open"}


def test_a_part_that_holds_only_with_the_others_is_open() -> None:
    source = "procedure main(x: int) { assert x > -2 && x != -3; }"
    assert verdicts(source) == {"x > -2": "open", "x != -3": "open"}


@pytest.mark.parametrize(
    ("body", "check", "verdict"),
    [
        ("i := 0; while (i < 5) { i := i + 1; }", "i == 5", "proved"),
        ("i := 0; while (i < 5) { i := i + 2; }", "i <= 6", "proved"),
        ("i := 0; while (i < 5) { i := i + 2; }", "i <= 5", "open"),
        ("havoc i; assume i > 2 && i < 9; i := 2 * i - 1;", "i >= 5 && i <= 15", "proved"),
        ("havoc i; if (i > 3) { i := 3; }", "i <= 3", "proved"),
        ("havoc i; i := i mod 7;", "0 <= i && i < 7", "proved"),
        ("havoc i; i := (if i > 4 then 4 else 0);", "i <= 4", "proved"),
        ("havoc i; assume i != 0;", "i != 0", "open"),  # ranges have no holes
        ("i := 1; goto a, b; a: assume i > 1; i := 9; b: i := i + 0;", "i == 1", "proved"),
        ("call i := limited(20);", "i <= 10", "proved"),
        ("call i := limited(20);", "i <= 9", "open"),
        ("call i := unknown();", "i >= 7", "proved"),
        ("g := 3; call changes();", "g == 4", "proved"),
    ],
)
def test_ranges_prove(body: str, check: str, verdict: str) -> None:
    source = f"""var g: int;
procedure unknown() returns (r: int); ensures r >= 7;
procedure limited(n: int) returns (r: int) {{ r := n; if (r > 10) {{ r := 10; }} }}
procedure changes() modifies g; {{ g := g + 1; }}
procedure main() modifies g; {{ var i: int; {body} assert {check}; }}
"""
    found = [c.verdict for c in facts_of(source).checks]
    assert (set(found) == {"proved"}) == (verdict == "proved"), found


def test_preconditions_of_calls_and_postconditions_are_checks_too() -> None:
    source = """procedure half(n: int) returns (r: int) requires n >= 0; ensures r >= 0; { r := n div 2; }
procedure main() { var x: int; call x := half(8); call x := half(x - 100); }
"""
    assert sorted(c.verdict for c in facts_of(source).checks) == ["open", "proved", "proved"]


def test_a_local_variable_is_not_the_global_one_of_the_same_name() -> None:
    source = """var g: int;
procedure inner() modifies g; { var h: int; assert g == 1; }
procedure main() modifies g; { var g: int; g := 1; call inner(); }
"""
    assert verdicts(source) == {"g == 1": "open"}


def test_recursion_comes_to_an_end() -> None:
    source = """procedure down(n: int) returns (r: int) { r := n; if (n > 0) { call r := down(n - 1); } }
procedure main() { var x: int; call x := down(5); assert x <= 5; }
"""
    assert set(verdicts(source)) == {"x <= 5"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs)
def test_no_run_refutes_a_proof(program: list[Tree]) -> None:
    source, tree = rendered(program)
    unit = unit_of(source)
    checks = program_facts(unit, unit.entry(None)).checks
    held = {c.place.line for c in checks} - {c.place.line for c in checks if c.verdict == "open"}
    for p, q, x, choices in itertools.product(SMALL, SMALL, SMALL, ((0, 1), (1, 0), (1, 1))):
        outside = itertools.islice(itertools.cycle(choices), 12)
        run = Run({"p": p, "q": q, "x": x, "y": 1 - x}, {0: 2}, q, outside, BOUND).go(tree)
        assert run.failed not in held
