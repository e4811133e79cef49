"""Options that apply to C programs apply to Boogie programs as well: trust, marks, several paths, engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.errors import UsageError
from butfor.explanation import Explanation

CALLS = """procedure step(n: int) returns (r: int) {
  r := n + 2;
}
procedure main() {
  var x: int;
  x := 1;
  call x := step(x);
  assert x == 2;
}
"""
ARMS = """procedure main(c: bool) {
  var x: int;
  x := 0;
  if (c) {
    x := x + 2;
  } else {
    x := x + 3;
  }
  assert x <= 1;
}
"""


def explained(folder: Path, text: str, **knobs: Any) -> Explanation:
    source = folder / "prog.bpl"
    source.write_text(text)
    return butfor.explain(source, **knobs)


def lines(found: Explanation) -> set[int]:
    return {row.line for row in found.ranking}


def test_statements_of_a_trusted_procedure_are_no_causes(tmp_path: Path) -> None:
    assert 2 in lines(explained(tmp_path, CALLS))
    found = explained(tmp_path, CALLS, trust=["step"])
    assert 2 not in lines(found)
    assert 6 in lines(found)


def test_statements_of_a_trusted_procedure_are_not_repaired(tmp_path: Path) -> None:
    def changed(**knobs: Any) -> set[int]:
        found = explained(tmp_path, CALLS, methods=["repair"], **knobs).methods["repair"]
        return {s["line"] for one in found["solutions"] for s in one["statements"]}

    assert 2 in changed()
    assert changed(trust=["step"])
    assert 2 not in changed(trust=["step"])


def test_trusting_a_procedure_that_does_not_exist_is_told(tmp_path: Path) -> None:
    found = explained(tmp_path, CALLS, trust=["stop"])
    assert "there is no procedure stop, so trusting it says nothing" in found.notes


def test_what_is_guilty_comes_first_and_what_is_benign_is_left_out(tmp_path: Path) -> None:
    first = explained(tmp_path, CALLS).ranking[0].line
    other = next(line for line in sorted(lines(explained(tmp_path, CALLS))) if line != first)
    assert explained(tmp_path, CALLS, guilty=[str(other)]).ranking[0].line == other
    assert first not in lines(explained(tmp_path, CALLS, benign=[str(first)]))


def test_a_mark_on_no_line_is_told(tmp_path: Path) -> None:
    found = explained(tmp_path, CALLS, guilty=["99"])
    assert any("there is no line 99" in note for note in found.notes)


def test_several_paths_to_a_check_are_found_and_repaired_together(tmp_path: Path) -> None:
    found = explained(tmp_path, ARMS, methods=["repair"])
    assert found.extra["failures"][0]["paths"] == 2
    assert [s["line"] for s in found.methods["repair"]["solutions"][0]["statements"]] == [3]
    one = explained(tmp_path, ARMS, methods=["repair"], method_options={"repair": {"traces": 1}}).methods["repair"]
    alone = [[s["line"] for s in solution["statements"]] for solution in one["solutions"]]
    assert [5] in alone or [7] in alone


def test_relevance_and_diagnoses_look_at_several_paths(tmp_path: Path) -> None:
    knobs = {"relevance": {"traces": 2}, "diagnoses": {"traces": 2}}
    both = explained(tmp_path, ARMS, methods=["relevance", "diagnoses"], method_options=knobs)
    relevant = {s["line"] for s in both.methods["relevance"]["statements"] if s["verdict"] not in ("irrelevant",)}
    assert relevant == {3}
    assert [s["line"] for s in both.methods["diagnoses"]["sets"][0]["statements"]] == [3]
    alone = explained(tmp_path, ARMS, methods=["relevance"])
    assert len([s for s in alone.methods["relevance"]["statements"] if s["verdict"] != "irrelevant"]) == 2


RANGE = """procedure main(in: int) requires in < 42; {
  var x, y: int;
  x := 1;
  y := in - 42;
  if (y < 0) {
    x := 0;
  }
  assert x != 0;
}
"""


@pytest.mark.parametrize(
    ("knobs", "wanted"),
    [
        ({}, [4, 5, 6]),
        ({"flow_insensitive": True}, [6]),
        ({"method_options": {"error-invariants": {"engine": "recursive"}}}, [4, 5, 6]),
    ],
    ids=["flow-sensitive", "flow-insensitive", "recursive"],
)
def test_error_invariants_in_three_ways(tmp_path: Path, knobs: dict[str, Any], wanted: list[int]) -> None:
    found = explained(tmp_path, RANGE, methods=["error-invariants"], **knobs).methods["error-invariants"]
    told = [e["line"] for e in found["abstract_trace"] if e["kind"] == "statement"]
    assert told == wanted
    assert found["flow_sensitive"] is (len(wanted) > 1)
    assert any("x == 0" in e["formula"] for e in found["abstract_trace"] if e["kind"] == "invariant")


def test_an_engine_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no engine 'naive'"):
        explained(tmp_path, RANGE, method_options={"error-invariants": {"engine": "naive"}})
    knobs = {"error-invariants": {"engine": "recursive"}}
    with pytest.raises(UsageError, match="the recursive engine is flow-sensitive"):
        explained(tmp_path, RANGE, flow_insensitive=True, method_options=knobs)
