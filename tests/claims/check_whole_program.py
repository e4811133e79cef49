"""Checks of claims about all runs of a program: where it fails, which checks hold, that nothing fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.claims.claim_model import Claim, FailingCase, judged
from tests.claims.machine import Machine
from tests.claims.run_model import Frame, Outcome, Pointer, Run, Value
from tests.claims.run_program import all_inputs
from tests.claims.small_program import Assert, Binary, Expr, Node, Place, Program, Statement

_UNDEFINED = {"null": "NULL"}  # what the interpreter calls it, where that differs


def check_failure(case: FailingCase) -> Iterator[Claim]:
    """What failed, and where."""
    failure = case.report["failure"]
    text = f"{failure['message']} at line {failure['line']}"
    at = case.run.failed or case.run.at
    if at is None:
        yield judged(False, "failure", "what failed", text, f"the run {case.run.outcome.value}")
        return
    line = case.printed.line_of(at)
    yield judged(line == failure["line"], "failure", "what failed", text, f"the run failed at line {line}")


def check_proofs(case: FailingCase) -> Iterator[Claim]:
    """Checks that are said to hold in every run, or to be reached by none."""
    checks = [c for c in case.method("proofs").get("checks", ()) if c["verdict"] in ("proved", "unreachable")]
    if not checks:
        return
    runs = []
    reached: set[tuple[int, int]] = set()
    for i in all_inputs(case.program):
        machine = _Reaching(case.program, i)
        runs.append(machine.run())
        reached |= {
            at for n in machine.reached for at in (case.printed.start.get(n), case.printed.operator.get(n)) if at
        }
    for check in checks:
        kind = f"{check['kind']} {check['verdict']}"
        text = f"line {check['line']}: {check['text']}"
        bad = [r for r in runs if _violates(case, r, check)]
        is_reached = check["verdict"] == "unreachable" and (check["line"], check["column"]) in reached
        yield judged(
            not bad and not is_reached, "proofs", kind, text, "a run violates it" if bad else "a run gets there"
        )


class _Reaching(Machine):
    """A run that remembers which places it accesses and which checks it reaches."""

    def __init__(self, program: Program, inputs: Sequence[int]) -> None:
        super().__init__(program, inputs)
        self.reached: set[Node] = set()

    def place(self, p: Place, frame: Frame) -> Pointer:
        self.reached.add(p)
        return super().place(p, frame)

    def plain_value(self, e: Expr, frame: Frame) -> Value:
        if isinstance(e, Binary):
            self.reached.add(e)
        return super().plain_value(e, frame)

    def statement(self, s: Statement, frame: Frame) -> None:
        if isinstance(s, Assert):
            self.reached.add(s)
        super().statement(s, frame)


def _violates(case: FailingCase, run: Run, check: Mapping[str, Any]) -> bool:
    """Whether a run violates a check; where it stands in its line counts if that is the place of a node."""
    kind, printed = check["kind"], case.printed
    line: int = check["line"]
    if kind == "assertion":
        return run.failed is not None and printed.line_of(run.failed) == line
    if run.outcome is not Outcome.UNDEFINED or run.at is None or run.why != _UNDEFINED.get(kind, kind):
        return False
    where = line, check["column"]
    if where in printed.operator.values() or where in printed.start.values():
        return where in (printed.operator.get(run.at), printed.start.get(run.at))
    return printed.line_of(run.at) == line
