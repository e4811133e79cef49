"""A sample of the campaign, and that the campaign can fail: planted false claims are refuted."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.claims.campaign import RUN_METHODS, c_cases, campaign, check_case, check_program, several_runs
from tests.claims.campaign_state import CampaignState
from tests.claims.check_several_runs import THIS_RUN, check_several_runs
from tests.claims.claim_model import Claim, FailingCase, Verdict, failing_case, is_failure
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.formula_text import NotUnderstood, formula, holds
from tests.claims.generate_program import KINDS, failing_shape, generate
from tests.claims.native import ALL_SANITIZERS, NativeProgram, compiler
from tests.claims.print_program import print_program
from tests.claims.program_shapes import SHAPES, Shape
from tests.claims.results import BEGIN, END, results, with_results
from tests.claims.run_model import Changes, Event, Outcome
from tests.claims.run_program import all_inputs, run_program
from tests.claims.shrink_program import shrunk
from tests.claims.small_program import (
    Assert,
    Assign,
    Binary,
    DeclareObject,
    Function,
    If,
    Input,
    Num,
    Program,
    Return,
    Statement,
    Var,
)
from tests.claims.walk_program import statements
from tests.families import some_of


def _name(shape: Shape) -> str:
    return shape.__name__.strip("_")


needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler on this machine")


@pytest.mark.parametrize(
    ("kind", "seed"), [("c", 20), pytest.param("c", 21, marks=pytest.mark.slow), ("wide", 50047), ("boogie", 20)]
)
def test_no_claim_about_generated_programs_is_refuted(kind: str, seed: int) -> None:
    tally = campaign([seed], [kind])
    assert not tally.refuted
    assert not tally.errors
    assert tally.checked > 20


QUICK = ("cascade", "error-invariants", "security", "relevance", "diagnoses")


@pytest.mark.parametrize("shape", some_of((*SHAPES[:6], *SHAPES[-3:]), lambda k, _: k % 3 == 0, _name))
def test_no_claim_about_programs_that_once_had_wrong_ones_is_refuted(shape: Shape) -> None:
    tally = check_program(failing_shape(random.Random(7), [shape]), "test", QUICK, most=1)
    assert not tally.refuted
    assert not tally.errors


@needs_compiler
@pytest.mark.parametrize("seed", some_of(range(40, 48), lambda _, seed: seed < 44, str))
def test_the_interpreter_agrees_with_gcc(seed: int, tmp_path: Path) -> None:
    program = generate(seed, "c")
    native = NativeProgram(print_program(program).text, tmp_path)
    assert not native.error
    for inputs in all_inputs(program):
        assert native.fails(program, inputs) == is_failure(run_program(program, inputs)), inputs


@needs_compiler
@pytest.mark.parametrize("seed", some_of(range(8), lambda _, seed: seed < 3, str))
def test_the_interpreter_agrees_with_gcc_and_its_sanitizers_on_the_rest_of_c(seed: int, tmp_path: Path) -> None:
    program = generate(seed, "wide")
    native = NativeProgram(print_program(program).text, tmp_path, ALL_SANITIZERS)
    assert not native.error
    for inputs in all_inputs(program):
        assert native.fails(program, inputs) == is_failure(run_program(program, inputs)), inputs


# --- planted false claims ---------------------------------------------------------------------------------------------


def _program() -> Program:
    """`n = input & 3; x = 5; y = n; if (y > 1) x = 0; z = x + 1; y = 7; assert(z != 1);`: fails for 2 and 3."""
    body: list[Statement] = [
        Assign(Var("n"), Binary("&", Input(0), Num(3)), "int"),
        Assign(Var("x"), Num(5), "int"),
        Assign(Var("y"), Var("n"), "int"),
        If(Binary(">", Var("y"), Num(1)), [Assign(Var("x"), Num(0))], []),
        Assign(Var("z"), Binary("+", Var("x"), Num(1)), "int"),
        Assign(Var("y"), Num(7)),
        Assert(Binary("!=", Var("z"), Num(1))),
        Return(Num(0)),
    ]
    return Program("c", [Function("main", (), body)], (4,))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> FailingCase:
    """butfor's answer about the program with input 3."""
    folder = tmp_path_factory.mktemp("claims")
    return next(c_cases(print_program(_program()), folder, (*RUN_METHODS, "repair"), 2, "test"))


def _line(case: FailingCase, text: str) -> int:
    return next(k for k, line in enumerate(case.printed.text.splitlines(), 1) if text in line)


def _refuted(case: FailingCase, report: dict[str, Any]) -> list[Claim]:
    again = failing_case(case.printed, case.inputs, report, "test")
    return [claim for claim in check_case(again) if claim.verdict is Verdict.REFUTED]


def test_the_answer_itself_is_not_refuted(case: FailingCase) -> None:
    found = list(check_case(case))
    assert not [c for c in found if c.verdict is Verdict.REFUTED]
    assert {c.method for c in found if c.verdict is Verdict.HELD} >= {
        "failure", "butfor", "relevance", "security", "diagnoses", "error-invariants", "cascade", "told values",
    }  # fmt: skip


def _planted(case: FailingCase) -> Iterator[tuple[str, dict[str, Any]]]:
    """Answers with one claim made false, and the method that makes it."""

    def copied() -> tuple[dict[str, Any], Any]:
        report = copy.deepcopy(dict(case.report))
        return report, report["methods"]

    report, methods = copied()
    report["failure"]["line"] += 1
    yield "failure", report
    report, methods = copied()
    place = f"prog.c:{_line(case, 'y = 7;')}:7"
    methods["butfor"]["confirmed"][0]["changes"][0]["with"] = f"{place} set 3"
    yield "butfor", report
    report, methods = copied()
    row = next(r for r in methods["relevance"]["statements"] if r["text"] == "int z = x + 1;")
    row["verdict"] = "irrelevant"
    yield "relevance", report
    report, methods = copied()
    row = next(r for r in methods["relevance"]["statements"] if r["text"] == "int z = x + 1;")
    row["counterfactual"] = "z = 1"
    yield "relevance", report
    report, methods = copied()
    methods["relevance"]["security"]["inputs"][0]["passes"] = "2"
    yield "security", report
    report, methods = copied()
    methods["relevance"]["security"].update(verdict="not-input-controlled", evidence="proved", inputs=[])
    yield "security", report
    report, methods = copied()
    here = {"file": "prog.c", "line": _line(case, "y = 7;"), "text": "y = 7;"}
    methods["diagnoses"]["sets"].append({"statements": [here], "proved": True, "how": "value"})
    yield "diagnoses", report
    report, methods = copied()
    pair = [{"line": _line(case, t), "text": t} for t in ("int z = x + 1;", "int x = 5;")]
    methods["diagnoses"]["sets"].append({"statements": pair, "proved": True, "how": "value"})
    yield "diagnoses", report
    report, methods = copied()
    last = [e for e in methods["error-invariants"]["abstract_trace"] if e["kind"] == "invariant"][-1]
    last.update(formula="z == 2", facts=["z == 2"])
    yield "error-invariants", report
    report, methods = copied()
    last = [e for e in methods["error-invariants"]["abstract_trace"] if e["kind"] == "invariant"][-1]
    last.update(formula="z <= 3", facts=["z <= 3"])
    yield "error-invariants", report
    report, methods = copied()
    trace = methods["error-invariants"]["abstract_trace"]
    trace[:] = [e for e in trace if e.get("text") != "x = 0;"]
    yield "error-invariants", report
    report, methods = copied()
    cause = methods["cascade"]["causes"][0]
    cause["statements"] = [s for s in cause["statements"] if s["text"] != "x = 0;"]
    yield "cascade", report
    report, methods = copied()
    shown = next(s for s in methods["cascade"]["causes"][0]["statements"] if s["text"] == "x = 0;")
    shown["values"] = "x became 1 (was 5)"
    yield "told values", report
    report, methods = copied()
    rung = next(r for r in report["story"]["rungs"] if r["text"] == "x = 0;")
    rung["says"] = rung["says"].replace("became 0", "became 4")
    yield "told values", report
    report, methods = copied()
    check = next(c for c in methods["proofs"]["checks"] if c["kind"] == "assertion")
    check["verdict"] = "proved"
    yield "proofs", report
    if compiler() is not None:
        report, methods = copied()
        edit = methods["repair"]["repairs"][0]["edits"][0]
        edit["new"] = case.printed.text.encode()[edit["start"] : edit["end"]].decode()
        yield "repair", report


def test_planted_false_claims_are_refuted(case: FailingCase) -> None:
    for method, report in _planted(case):
        assert {claim.method for claim in _refuted(case, report)} == {method}


def _several(folder: Path) -> tuple[dict[str, FailingCase], dict[str, Any]]:
    """The two failing runs of the program, and what butfor says of both at once."""
    several = several_runs(print_program(_program()), folder, "test")
    assert several is not None
    found, answer = several
    assert [case.inputs for case in found.values()] == [(2,), (3,)]
    return found, dict(answer)


def test_planted_false_claims_about_several_runs_are_refuted(tmp_path: Path) -> None:
    cases, report = _several(tmp_path)
    held = [c for c in check_several_runs(cases, report) if c.verdict is Verdict.HELD]
    assert {c.method for c in held} == {"diagnoses"}
    line = _line(next(iter(cases.values())), "y = 7;")
    false = {"statements": [{"line": line, "text": "y = 7;"}], "proved": True, "how": "value"}
    report["methods"]["diagnoses"]["sets"].append(false)
    row = next(r for r in report["methods"]["relevance"]["statements"] if r["text"] == "int z = x + 1;")
    row["traces"] = {THIS_RUN: "enforcing", "3": "irrelevant"}
    refuted = [c for c in check_several_runs(cases, report) if c.verdict is Verdict.REFUTED]
    assert [c.method for c in refuted] == ["diagnoses", "relevance"]


# --- the parts --------------------------------------------------------------------------------------------------------


def test_formulas_of_reports_are_evaluated_in_the_state_of_a_run() -> None:
    facts = {"n == 3 && y > 1": True, "main::x + 1 == z || n < 0": True, "!(z == 1)": False, "(n & 2) == 2": True}
    seen: list[bool] = []

    def observe(machine: Evaluator, event: Event) -> None:
        seen[:] = [holds(machine, formula(text, boogie=False)) for text in facts] if len(machine.events) == 6 else seen

    run_program(_program(), (3,), Changes(observe=observe))
    assert seen == list(facts.values())
    with pytest.raises(NotUnderstood):
        formula("strlen(n) == 3", boogie=False)


def test_formulas_are_computed_in_the_types_of_their_variables() -> None:
    body: list[Statement] = [
        Assign(Var("u"), Num(0), "unsigned"),
        Assign(Var("c"), Num(200), "char"),
        Assign(Var("l"), Num(1), "long"),
        DeclareObject("m", (1, 2, 3, 4, 5, 6, 7, 8), type="unsigned char", rows=2),
        Return(Num(0)),
    ]
    facts = {"u - 1 > 0": True, "c == -56": True, "(unsigned char)c == 200": True, "l << 40 > 0": True,
             "u < -1": True, "c < u": False, "m[1][2] - 8 < 0": True, "c / 2 == -28 && m[0][1] == 2": True}  # fmt: skip
    seen: list[bool] = []

    def observe(machine: Evaluator, event: Event) -> None:
        seen[:] = [holds(machine, formula(text, boogie=False)) for text in facts] if len(machine.events) == 11 else seen

    run_program(Program("c", [Function("main", (), body)], (4,)), (0,), Changes(observe=observe))
    assert seen == list(facts.values())


def test_a_counterexample_is_shrunk_to_the_statements_that_it_needs() -> None:
    def has_loop(small: Program) -> bool:
        return any(type(s).__name__ in ("For", "While") for f in small.functions for s in statements(f.body))

    wanted = next(p for p in (generate(seed, "c") for seed in range(50)) if has_loop(p))
    small = shrunk(wanted, has_loop)
    assert has_loop(small)
    assert len(print_program(small).text.splitlines()) < 18
    assert any(run_program(small, i).outcome is Outcome.FAILED for i in all_inputs(small))


def test_generated_programs_are_the_same_for_the_same_seed() -> None:
    seed = random.randrange(10**6)
    for kind in KINDS:
        texts = {print_program(generate(seed, kind)).text for _ in range(2)}
        assert len(texts) == 1


@pytest.mark.slow
def test_the_results_of_a_campaign_are_written_between_the_marks_of_a_file(tmp_path: Path) -> None:
    state = CampaignState(tmp_path / "state.json", 20, ("boogie",))
    state.run(10, 1)
    again = CampaignState(tmp_path / "state.json", 1, ("boogie",))
    assert (again.first, again.next, again.tally) == (20, 24, state.tally)
    text = with_results(f"before\n{BEGIN}\nan earlier one\n{END}\nafter\n", results(again))
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert f"**{state.tally.checked:,} claims were checked, 0 were refuted**" in text
    assert "| boogie | error-invariants |" in text
    assert "an earlier one" not in text
