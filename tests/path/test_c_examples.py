"""The examples of the methods as C programs: what their paths look like, and that these are what they claim to be."""

from __future__ import annotations

import pytest

from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.path.lift.movable_stores import MOVABLE
from butfor.path.path_formula import flow_sensitive_formula, plain_formula
from butfor.path.verify_path import verify
from tests.path.made import EXAMPLES, example, shape

SHAPES = {
    "s1_input_range": ["havoc 9 input", "assume 10", "assign 12 y", "branch 13", " assign 14 x", "check 15"],
    "s1_unrelated_branch": ["assign 10 x", "check 14"],
    "s1_locking": [
        *("havoc 9 x", "havoc 10 y", "assume 11", "assign 13 lock", "branch 18", " assign 19 z"),
        *("branch 20 frames lock z", " branch 23 frames lock z", "check 27"),
    ],
    "s1_abs": [
        *("havoc 25 in", "assume 26", "assign 27 in", "assign 10 abs", "branch 11 escapes"),
        *(" branch 13", "  assign 14 sign", " branch 17 frames abs", " check 21"),
    ],
    "s1_unconditional": ["assign 6 x", "branch 7 escapes", " check 8"],
    "s2_havoc_last": ["havoc 12 z", "check 13"],
    "s2_conjunction": ["assign 9 y", "havoc 10 x", "check 11"],
    "s2_twice": ["assign 7 x", "check 8"],
    "s2_assume_false": ["assign 9 y", "havoc 10 x", "assume 11", "check 12"],
    "s2_not_positive": ["havoc 10 x", "check 11"],
    "s2_two_together": ["assign 6 x", "assign 7 y", "check 8"],
    "s2_two_havocs": ["havoc 9 x", "havoc 10 y", "check 11"],
    "s2_flow": ["assign 7 y", "branch 8", " assign 9 x", "check 10"],
    "s2_flow_nested": ["assign 7 y", "branch 9 frames y", " assign 10 x", "check 16"],
    "s2_input_branch": ["havoc 9 input", "assign 11 y", "branch 12", " assign 13 x", "check 14"],
    "s2_array_cells": ["havoc 10 j", "assign 11 i", "assume 12", "assign 12 a[2]", "assume 14", "check 14"],
    "s2_sums": ["havoc 9 x", "havoc 10 y", "havoc 11 z", "assign 12 x", "assign 13 x", "check 15"],
    "s2_security": ["havoc 10 y", "branch 11", " assign 12 y", "check 13"],
    "s2_control": ["havoc 9 x", "havoc 10 z", "branch 12 escapes", " branch 13 escapes", "  check 18"],
}
AVOIDABLE = {
    "s2_havoc_last",
    "s2_conjunction",
    "s2_not_positive",
    "s2_two_havocs",
    "s2_sums",
}  # other inputs along the path do not fail


def test_every_example_has_a_shape() -> None:
    assert {p.stem for p in EXAMPLES.glob("*.c")} == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_examples_have_their_shape_and_are_right(name: str) -> None:
    case = example(name)
    assert shape(case.free_path) == SHAPES[name]
    assert [line.replace("havoc", "assign") for line in SHAPES[name]] == shape(case.path)
    for path in (case.path, case.free_path):
        assert set(path.approximate) <= {MOVABLE}
        assert verify(path).wrong == ()
    assert verify(case.path, Limit.after(30)).forced is Verdict.UNSAT
    assert verify(case.free_path, Limit.after(30)).forced is (Verdict.SAT if name in AVOIDABLE else Verdict.UNSAT)


@pytest.mark.parametrize("name", SHAPES)
def test_the_flow_sensitive_formula_has_no_model_either(name: str) -> None:
    problem = flow_sensitive_formula(example(name).path).problem()
    assert default_solver().check(problem, Limit.after(30)).verdict is Verdict.UNSAT


def needed(name: str, *, flow: bool) -> set[str]:
    """The lines of the steps that the failure needs, of frames with the cells that they keep."""
    path = example(name).path
    problem = (flow_sensitive_formula if flow else plain_formula)(path).problem()
    result = default_solver().core(problem, Limit.after(30))
    assert result.verdict is Verdict.UNSAT
    assert result.minimal
    return {f"{'frame ' if kind == 'frame' else ''}{path.instances[k].place.line}" for k, kind in result.core}


@pytest.mark.parametrize(
    ("name", "lines", "with_flow"),
    [
        ("s1_input_range", {"14"}, {"9", "12", "13", "14"}),
        ("s1_unrelated_branch", {"10"}, {"10"}),
        ("s1_locking", {"13"}, {"9", "10", "13", "18", "19", "20", "23", "frame 20", "frame 23"}),
        ("s1_unconditional", set(), {"6", "7"}),
        ("s2_flow", {"9"}, {"7", "8", "9"}),
    ],
)
def test_a_flow_sensitive_core_says_why_branches_were_taken(name: str, lines: set[str], with_flow: set[str]) -> None:
    assert needed(name, flow=False) == lines
    assert needed(name, flow=True) == with_flow


def test_a_missing_assignment_is_a_frame() -> None:
    assert "10" in needed("s1_abs", flow=False)
    assert needed("s1_abs", flow=True) >= {"10", "14", "17", "frame 17"}
