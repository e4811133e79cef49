"""Checks of solutions along a path: the interpreter runs the changed program on all inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.claims.claim_model import Claim, FailingCase, is_failure, judged, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.formula_text import Evaluated, NotUnderstood, formula
from tests.claims.run_model import Changes, ExprChange, Frame, Undefined, Value
from tests.claims.run_program import all_inputs, run_program
from tests.claims.small_program import Assign, Decision, Expr, Node

KIND = "no execution fails with the solution"  # of those that it speaks of


def check_solutions(case: FailingCase) -> Iterator[Claim]:
    """Solutions that are said to hold in all executions, or up to the bound."""
    for solution in case.method("repair").get("solutions", ()):
        if solution.get("standing") != "holds":
            continue
        text = "; ".join(f"line {s['line']}: {s['text']} -> {s.get('after')}" for s in solution["statements"])
        changes: dict[Node, ExprChange] = {}
        try:
            for s in solution["statements"]:
                changes.update(_change(case, s))
        except NotUnderstood as e:
            yield unchecked("repair", KIND, text, f"the edit: {e}")
            continue
        whole = case.program.language == "boogie"  # of C programs, only the tests that were run are spoken of
        inputs = all_inputs(case.program) if whole else [case.inputs]
        ends = [(i, run_program(case.program, i, Changes(values=changes))) for i in inputs]
        failing = [i for i, run in ends if is_failure(run) and not run.why]
        yield judged(not failing, "repair", KIND, text, f"inputs {failing[:1]} fail with it")


def _change(case: FailingCase, statement: Mapping[str, Any]) -> Mapping[Node, ExprChange]:
    node = case.printed.statement_at(statement["line"], statement["text"])
    after = statement.get("after")
    if not after:
        raise NotUnderstood("values, not an edit")
    boogie = case.program.language == "boogie"
    if isinstance(node, Decision):
        return {node.cond: _evaluating(formula(after, boogie=boogie))}
    if not isinstance(node, Assign):
        raise NotUnderstood("not an assignment or a condition")
    sign = ":=" if boogie else "="
    target, _, value = after.rstrip(";").partition(f" {sign} ")
    if target.strip() != statement["text"].partition(f" {sign} ")[0].strip():
        raise NotUnderstood("another target")
    return {node.value: _evaluating(formula(value, boogie=boogie))}


def _evaluating(parsed: Evaluated) -> ExprChange:
    def change(machine: Evaluator, e: Expr, frame: Frame) -> Value:
        try:
            return parsed(machine)
        except NotUnderstood as error:
            raise Undefined(str(error), e) from error

    return change
