"""Programs under tests/programs give the failure and the slice that their comments state, and replay exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest

import butfor.api
from butfor.explanation import Explanation
from tests.corpus import Program, programs

PROGRAMS = programs()


def lines_of(answer: Explanation, kind: str) -> set[int]:
    """The lines of one of the slices."""
    return {line for _, line in answer.methods["slice"][kind]["lines"]}


def test_there_are_programs_for_every_kind_of_failure() -> None:
    assert len(PROGRAMS) >= 60
    kinds = {p.one("failure") for p in PROGRAMS}
    assert kinds == {
        "none",
        "assertion",
        "signal",
        "memory",
        "division",
        "exit-status",
        "output",
        "no-end",
        "reach-error",
    }


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.path.stem for p in PROGRAMS])
def test_program(program: Program) -> None:
    answer = butfor.api.explain(replace(program.options, methods=("slice", "cascade")))
    kind = program.one("failure")
    assert (str(answer.failure.kind) if answer.failure else "none") == kind, (answer.failure, answer.memory_errors)
    if program.options.check:
        assert answer.methods["check"]["mismatches"] == 0, answer.methods["check"]["shown"]
        assert answer.methods["check"]["instructions"] > 5
    if answer.failure is None:
        assert answer.status == "no-failure"
        return
    check_failure(program, answer)
    relevant = lines_of(answer, "relevant")
    assert program.cause <= relevant, f"not in the slice: {sorted(program.cause - relevant)}"
    assert program.omission <= relevant, f"omission not found: {sorted(program.omission - relevant)}"
    control = lines_of(answer, "control")
    assert not program.clean & control, f"in the slice without reason: {sorted(program.clean & control)}"
    ranked = {row.line for row in answer.ranking}
    assert program.cause <= ranked


def check_failure(program: Program, answer: Explanation) -> None:
    """Place, signal, kind of memory error and message are those stated."""
    failure = answer.failure
    assert failure is not None
    if program.fail:
        assert failure.line in program.fail, failure
    assert failure.line > 0
    assert failure.file.endswith(program.path.name)
    if program.one("signal"):
        assert failure.details["signal"] == program.one("signal"), failure
    if program.one("memory"):
        assert failure.details["memory"] == program.one("memory"), failure
    if program.one("message"):
        assert (program.one("message") or "") in failure.message, failure
