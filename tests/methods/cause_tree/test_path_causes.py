"""The cause tree and the slice of failing paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.marks import Marks
from butfor.methods.budget import Budget
from butfor.methods.case import FailingPath
from butfor.methods.cause_tree.method import CauseTreeMethod
from butfor.methods.slice.path_slice import slice_of_path as slice_
from butfor.options import Options
from tests.frontends.boogie.helpers import explored

EXAMPLES = Path(__file__).parents[2] / "path" / "examples"


def case_of(source: str, marks: Marks | None = None) -> FailingPath:
    """The first failing path of a program."""
    return FailingPath(explored(source).failures[0].path, Options(), Budget(60.0), marks or Marks())


def causes(source: str, marks: Marks | None = None) -> list[tuple[int, str, set[int], bool]]:
    """Level, way, lines and proof of each cause."""
    diagnosis = CauseTreeMethod().explain_path(case_of(source, marks), {})
    assert diagnosis.complete
    return [(c["level"], c["via"], {s["line"] for s in c["statements"]}, c["proved"]) for c in diagnosis.data["causes"]]


CHANGED = """procedure main() { var x, y: int;
  x := 0;
  y := 1;
  if (y == 1) {
    x := x + 1; }
  assert x == 0; }"""

OMITTED = """procedure main() { var a, b, c, d: int;
  a := 2;
  b := 1;
  c := 1;
  d := 0;
  if (a > 0) {
    if (b < 0) {
      if (c != 2) { c := 2; } }
    d := c + 3; }
  assert d == 5; }"""


def test_what_was_computed_then_what_decided_it() -> None:
    assert causes(CHANGED) == [(0, "check", {2, 5}, True), (1, "control", {3, 4}, True)]


BLOCK = """procedure main(a, b: int) requires a > 3 && b > 2; { var c, r: int;
  r := 0;
  if (a > 3) {
    c := b + 1;
    if (c > 2) {
      r := 1; } }
  assert r == 0; }"""


def test_the_block_that_a_statement_stands_in_is_named_beside_the_condition() -> None:
    assert [(level, lines) for level, _, lines, _ in causes(BLOCK)] == [(0, {6}), (1, {4, 5}), (1, {3})]


def test_a_condition_that_was_asked_right_before_another_is_below_it() -> None:
    source = BLOCK.replace("    c := b + 1;\n", "").replace("c > 2", "b > 2")
    assert [(level, lines) for level, _, lines, _ in causes(source)] == [(0, {5}), (1, {4}), (2, {3})]


def test_a_branch_that_left_a_value_as_it_was() -> None:
    assert causes(OMITTED) == [(0, "check", {4, 9}, True), (1, "potential", {3, 7}, True), (1, "control", {2, 6}, True)]


def test_a_benign_decision_is_not_opened() -> None:
    assert causes(OMITTED, Marks({"7": "benign"})) == [(0, "check", {4, 9}, True), (1, "control", {2, 6}, True)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s1_input_range", [(0, {9}), (1, {8, 9})]),
        ("s1_unrelated_branch", [(0, {6})]),
        ("s1_locking", [(0, {7}), (1, {11, 15}), (1, {12}), (2, {11})]),
        ("s2_control", [(0, set()), (1, {6}), (1, {5})]),
        ("s1_unconditional", [(0, set()), (1, {5, 6})]),
        ("s2_array_cells", [(0, {6}), (1, {5})]),
    ],
)
def test_examples(name: str, expected: list[tuple[int, set[int]]]) -> None:
    assert [(level, lines) for level, _, lines, _ in causes((EXAMPLES / f"{name}.bpl").read_text())] == expected


def test_inputs_that_could_avoid_the_failure_are_pinned_and_that_is_said() -> None:
    case = case_of("procedure main(x: int) {\nvar y: int;\ny := x + 1;\nassert y != 4; }")
    diagnosis = CauseTreeMethod().explain_path(case, {})
    assert [(c["pinned"], c["proved"]) for c in diagnosis.data["causes"]] == [(True, True)]
    assert any("pinned" in note for note in diagnosis.notes)


def test_conditions_that_held_can_be_the_cause() -> None:
    source = "procedure main(x: int) {\nvar y: int;\nif (x > 5) {\ny := x;\nassert y < 3; } }"
    assert causes(source)[0] == (0, "check", {3, 4}, True)


def test_a_long_loop_is_one_node() -> None:
    source = (
        "procedure main() { var i, s: int;\ni := 0;\ns := 0;\n"
        "while (i < 30) {\ns := s + i;\ni := i + 1; }\nassert s == 0; }"
    )
    found = CauseTreeMethod().explain_path(case_of(source), {}).data["causes"]
    assert [c["condition"]["line"] for c in found[1:]] == [4, 4]
    assert [c["rounds"] for c in found[1:]] == [1, 30]


def test_the_slice_is_nearest_first_and_leaves_out_what_has_no_part() -> None:
    found = slice_(case_of(OMITTED)).findings
    assert found[0].place.line == 9
    assert {f.place.line for f in found} == {2, 3, 4, 6, 7, 9}
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    assert "c became 1" in next(f.reason for f in found if f.place.line == 4)
    assert "false with b = 1" in next(f.reason for f in found if f.place.line == 7)


TABLE = """procedure main() { var tab: [int]int; var j, k: int;
  k := 1;
  tab[0] := 4;
  tab[1] := 5;
  tab[2] := 6;
  j := k + 1;
  assert tab[j] != 6; }"""


def test_the_index_is_a_child_of_its_own() -> None:
    assert [row[:3] for row in causes(TABLE)] == [(0, "check", {5}), (1, "address", {2, 6})]


def test_a_write_to_another_element_is_passed_over() -> None:
    source = (
        "procedure main() { var a: [int]int; var i, x: int;\ni := 1;\nx := 7;\na[i] := x;\na[i + 1] := 0;\n"
        "assert a[1] == 3; }"
    )
    assert causes(source)[0][:3] == (0, "check", {3, 4})


def test_what_cancels_is_not_explained() -> None:
    source = "procedure main() { var lo, r: int;\nhavoc lo;\nr := lo - lo + 5;\nassert r == 4; }"
    assert [row[:3] for row in causes(source)] == [(0, "check", {3})]


def test_conditions_of_the_path_are_causes_and_are_opened() -> None:
    source = (
        "procedure main() { var x, y, n: int;\nn := 20;\ny := 0;\nx := n + 1;\nif (x > 10) {\ny := 1; }\n"
        "y := y + n;\nassert x < 5; }"
    )
    diagnosis = CauseTreeMethod(path_conditions=True).explain_path(case_of(source), {})
    found = [(c["level"], c["via"], {s["line"] for s in c["statements"]}) for c in diagnosis.data["causes"]]
    assert found == [(0, "check", {5}), (1, "core", {2, 4, 5})]


def test_a_cause_whose_index_depends_on_an_input_holds_for_the_values_found() -> None:
    source = "procedure main(n: int) { var a: [int]int;\na[n] := 7;\na[0] := 1;\nassert a[n] == 1; }"
    found = CauseTreeMethod().explain_path(case_of(source), {}).data["causes"]
    assert found[0]["pinned"]
    assert {s["line"] for s in found[0]["statements"]} == {2}
