"""Cores by folding constants refute the goal, and no group of a minimal one can be left out."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from butfor.logic import propagated_core as propagated_core_module
from butfor.logic.propagated_core import propagated_core
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.model_rotation import ModelRotation
from tests.logic.test_model_rotation import chain, straight_line


def test_a_loop_needs_all_its_rounds_and_nothing_else() -> None:
    problem = chain(60)
    found = propagated_core(problem, default_solver(), Limit.after(20.0))
    assert found is not None
    assert found.minimal
    assert set(found.names) == set(problem.names)


def test_a_minimal_core_refutes_and_needs_each_of_its_groups() -> None:
    pick = random.Random(7)
    solver, shown, smaller = default_solver(in_series=True), 0, 0
    for _ in range(60):
        problem = straight_line(pick)
        found = propagated_core(problem, solver, Limit.after(20.0))
        if solver.check(problem, Limit.after(20.0)).verdict is not Verdict.UNSAT:
            assert found is None
            continue
        if found is None:
            continue
        assert found.minimal
        core = problem.only(set(found.names))
        assert solver.check(core, Limit.after(20.0)).verdict is Verdict.UNSAT
        for name in found.names:
            assert solver.check(core.without(name), Limit.after(20.0)).verdict is Verdict.SAT
        shown += 1
        smaller += len(found.names) < len(problem.names)
    assert shown > 20
    assert smaller > 5


def test_no_question_is_asked_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, over = chain(20), []

    def nothing(*_: object) -> set[int]:
        over.append(True)
        return set()

    monkeypatch.setattr(ModelRotation, "needed", nothing)
    solver = default_solver()
    monkeypatch.setattr(type(solver), "check", lambda *_: pytest.fail("a solver was asked"))
    monkeypatch.setattr(propagated_core_module, "_refuting", _only_before(over))
    found = propagated_core(problem, solver, Limit.after(60.0, lambda: bool(over)))
    assert found is not None
    assert set(found.names) == set(problem.names)
    assert not found.minimal


def _only_before(over: list[bool]) -> Callable[..., set[int] | None]:
    original = propagated_core_module._refuting

    def refuting(*given: Any) -> set[int] | None:
        assert not over, "constants were folded"
        return original(*given)

    return refuting
