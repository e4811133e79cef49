"""Cores by folding constants refute the goal, and no group of a minimal one can be left out."""

from __future__ import annotations

import random

from butfor.logic.propagated_core import propagated_core
from butfor.logic.solvers import Limit, Verdict, default_solver
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
