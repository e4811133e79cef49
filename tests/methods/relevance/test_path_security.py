"""Whether inputs control the failure of a Boogie program, checked here by enumerating inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import butfor
from butfor.frontends.boogie.boogie_frontend import BoogieProgram
from butfor.frontends.boogie.explore_paths import explore
from butfor.frontends.boogie.interpreter import End, Given, given_by, run
from butfor.methods.relevance.path_security import security_of_path
from butfor.path.path_model import Kind
from tests.frontends.boogie.helpers import unit_of
from tests.frontends.boogie.programs import Tree, programs, rendered

SMALL = (-3, -1, 0, 1, 2, 4)
CASES = {
    "both arms fail": ("havoc x; y := 5; if (x > 10) { y := 7; } else { y := 7; } assert y != 7;", None),
    "another value fails too": ("havoc y; if (y == 2) { y := y + 1; } assert y != 3;", ("y", "3")),
    "only the last input decides": ("havoc x; havoc y; assert x + y != 5;", ("y", None)),
    "a later input overwrites it": ("havoc x; x := 3; assert x != 3;", None),
    "another check fails instead": ("havoc x; if (x > 0) { assert false; } assert x > 0;", None),
    "two inputs must change together": ("havoc x, y; assert 0 < x && 0 < y;", ("x", "0")),
    "a loop ends or not": ("havoc x; while (x > 0) { x := x - 1; } assert x < 0;", ("x", None)),
}


def security(body: str, folder: Path) -> dict[str, Any]:
    """The verdict on a program with this body."""
    path = folder / "p.bpl"
    path.write_text(f"procedure main() {{ var x, y: int;\n {body}\n}}\n")
    found: dict[str, Any] = butfor.explain(path, methods=["relevance"]).methods["relevance"]["security"]
    return found


@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str, tmp_path: Path) -> None:
    body, controlled = CASES[name]
    found = security(body, tmp_path)
    if controlled is None:
        assert (found["verdict"], found["inputs"], found["evidence"]) == ("not-input-controlled", [], "proved")
        return
    assert found["verdict"] == "input-controlled"
    cell, fails = controlled
    assert found["inputs"][0]["name"] == cell
    assert fails is None or found["inputs"][0]["fails"] == fails
    assert found["inputs"][0]["passes"] != found["inputs"][0]["fails"]


def test_the_list_of_inputs_is_not_called_complete_where_only_one_value_of_another_was_tried(tmp_path: Path) -> None:
    found = security("havoc x; havoc y; if (x == 300) { assert y != 3; }", tmp_path)
    assert [(row["name"], row["fails"]) for row in found["inputs"]] == [("y", "3")]
    assert not found["complete"]


def test_an_input_controls_the_failure_with_a_value_that_it_did_not_have(tmp_path: Path) -> None:
    found = security("havoc x; havoc y; assert (x != 0 && x != 1) || (x == 0 && y != 3);", tmp_path)
    by_name = {row["name"]: row["fails"] for row in found["inputs"]}
    assert by_name["x"] == "1"


def test_two_parameters_that_must_change_together(tmp_path: Path) -> None:
    path = tmp_path / "p.bpl"
    path.write_text("procedure main(p: int, q: int) { var x: int;\n x := 0;\n assert 0 < p && 0 < q;\n}\n")
    found = butfor.explain(path, methods=["relevance"]).methods["relevance"]["security"]
    assert found["verdict"] == "input-controlled"


@settings(
    max_examples=15,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(programs)
def test_no_run_refutes_a_verdict_on_a_random_program(program: list[Tree]) -> None:
    unit = unit_of(rendered(program)[0])
    flow = unit.entry(None)
    explored = explore(unit, flow, 2, 5.0)
    for failure in explored.failures[:1]:
        path = failure.path
        found = security_of_path(path, BoogieProgram(unit, flow, 2), lambda: False)
        inputs = given_by(path)
        ends = {
            run(unit, flow, Given({**inputs.start, "p": p, "q": q}, inputs.chosen)).end
            for p in range(-3, 4)
            for q in (0, 1)
        }
        if found["verdict"] == "not-input-controlled":
            assert End.RETURNED not in ends
        for row in found["inputs"]:
            if row["source"] != "havoc" or sum(i.kind is Kind.HAVOC for i in path.instances) != 1:
                continue
            (instance,) = (i for i in path.instances if i.kind is Kind.HAVOC)
            at = instance.place.line, instance.place.column
            others = ({**inputs.start, "p": p, "q": q, "x": x} for p in SMALL for q in SMALL for x in SMALL)
            passing = {at: (int(row["passes"]),)}
            assert any(run(unit, flow, Given(start, passing)).end is End.RETURNED for start in others)
            assert run(unit, flow, Given(inputs.start, {at: (int(row["fails"]),)})).end is End.FAILED
