"""The examples of the methods, in both languages: which statements are relevant, which sets are smallest."""

from __future__ import annotations

import pytest

from butfor.methods.relevance.instance_verdicts import Relevance, judge
from butfor.methods.relevance.statement_verdicts import verdicts_across_runs, verdicts_on
from butfor.path.execute.smallest_change_sets import smallest_change_sets
from butfor.path.path_model import Path
from tests.frontends.boogie.helpers import explored
from tests.path.made import EXAMPLES, example

# Lines that are relevant with free inputs, in Boogie and in C; e: enforcing, a: admitting. Paths of C runs have only
# what the failure depends on.
RELEVANT = {
    "s2_havoc_last": ({"8a"}, {"12a"}),
    "s2_conjunction": ({"6a"}, {"10a"}),
    "s2_twice": ({"6e"}, {"7e"}),
    "s2_assume_false": ({"5e", "6a"}, {"9e", "10a"}),
    "s2_not_positive": ({"6a"}, {"10a"}),
    "s2_two_together": (set(), set()),
    "s2_two_havocs": ({"6a"}, {"10a"}),
    "s2_flow": ({"6e", "7e"}, {"7e", "9e"}),
    "s2_flow_nested": ({"5e", "8e"}, {"7e", "10e"}),
    "s2_input_branch": ({"5a", "7e", "8e"}, {"9a", "11e", "13e"}),
    "s2_array_cells": ({"6e"}, {"12e"}),
    "s2_sums": ({"5e", "6e"}, {"11a", "12e", "13e"}),
    "s2_security": ({"7e", "8e"}, {"10a", "12e"}),
    "s2_control": (set(), {"9a", "10a"}),
}
CONTROL = {"s2_control": ({5, 6}, {12, 13})}


def boogie(name: str) -> Path:
    """The path of an example."""
    return explored((EXAMPLES / f"{name}.bpl").read_text()).failures[0].path


def never() -> bool:
    return False


def relevant(path: Path, *, flow: bool = True) -> set[str]:
    """The lines of relevant statements with the first letter of the verdict."""
    found = judge(path, never, flow=flow)
    assert found.complete
    return {
        f"{path.instances[k].place.line}{j.verdict.value[0]}"
        for k, j in found.by_position.items()
        if j.verdict.is_relevant
    }


def test_every_example_is_here() -> None:
    assert {p.stem for p in EXAMPLES.glob("s2_*")} == set(RELEVANT)


@pytest.mark.parametrize("name", RELEVANT)
def test_relevant_statements_in_boogie(name: str) -> None:
    path = boogie(name)
    assert relevant(path) == RELEVANT[name][0]
    assert {path.instances[k].place.line for k in judge(path, never).control} == CONTROL.get(name, (set(), set()))[0]


@pytest.mark.parametrize("name", RELEVANT)
def test_relevant_statements_in_c(name: str) -> None:
    path = example(name).free_path
    assert relevant(path) == RELEVANT[name][1]
    assert {path.instances[k].place.line for k in judge(path, never).control} == CONTROL.get(name, (set(), set()))[1]


def test_blocks_that_do_not_matter_are_skipped() -> None:
    path = boogie("s2_flow_nested")
    assert relevant(path, flow=False) == {"5e", "6e", "8e"}
    rows = {r.place.line: r for r in verdicts_on(path, never, pinned=False).statements}
    assert (rows[6].verdict, rows[6].on_trace) == (Relevance.IRRELEVANT, Relevance.ENFORCING)


def test_the_counterfactual_is_near_and_in_the_type_of_the_variable() -> None:
    rows = {r.place.line: r for r in verdicts_on(example("s2_sums").free_path, never, pinned=False).statements}
    assert rows[13].counterfactual == "x = 0"
    rows = {r.place.line: r for r in verdicts_on(boogie("s2_array_cells"), never, pinned=False).statements}
    assert rows[6].counterfactual is not None
    assert rows[6].counterfactual.endswith("] = 8")


def test_a_start_value_from_outside_is_judged_within_the_precondition() -> None:
    (start,) = judge(boogie("s2_security"), never).starts
    assert start.verdict is Relevance.ADMITTING
    assert start.counterfactual[0].value < 3
    assert start.counterfactual[0].value != 2


@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("s2_two_together", [{5, 6}]),
        ("s2_twice", [{6}]),
        ("s2_array_cells", [{6}, {5, 7}]),
        ("s2_flow_nested", [{7}, {8}, {5}]),
        ("s2_havoc_last", []),
    ],
)
def test_smallest_sets(name: str, sets: list[set[int]]) -> None:
    found = smallest_change_sets([boogie(name)], never)
    assert sorted(sorted(p.line for p in s.places) for s in found.sets) == sorted(map(sorted, sets))
    assert all(s.proved for s in found.sets)
    assert found.unavoidable == (not sets)


def test_a_change_must_help_in_every_run() -> None:
    arms = "if (c == 1) { x := x + 2; } else { x := x + 3; }"
    one, two = (
        explored(f"procedure main() {{ var x, c: int; c := {c}; x := 0; {arms} assert x <= 1; }}").failures[0].path
        for c in (1, 2)
    )
    both = smallest_change_sets([one, two], never)
    assert {p.text for s in both.sets if len(s.places) == 1 for p in s.places} >= {"x := 0;"}
    assert {p.text for s in both.sets if len(s.places) == 1 for p in s.places} & {"x := x + 2;", "x := x + 3;"} == set()


def test_verdicts_of_several_runs() -> None:
    path = boogie("s2_flow")
    rows = verdicts_on(path, never, pinned=False).statements
    fewer = [r for r in rows if r.place.line != 6]
    for missing in (Relevance.IRRELEVANT, Relevance.UNKNOWN):
        together = {r.place.line: r for r in verdicts_across_runs(rows, {"t2": fewer}, "t1", missing=missing)}
        assert together[6].verdict is missing
        assert together[6].by_trace == {"t1": Relevance.ENFORCING, "t2": missing}
