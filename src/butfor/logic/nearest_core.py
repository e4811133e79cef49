"""Minimal unsatisfiable cores that prefer what is near: the shortest window that refutes a goal, then its core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from butfor.logic.solvers.solver import Limit, Name, Problem, Solver, Verdict
from butfor.logic.terms import Term
from butfor.logic.unit_propagation import refutes


@dataclass(frozen=True, slots=True)
class NearestCore(Generic[Name]):
    """The verdict on a goal; if UNSAT, the groups of a core, nearest first preferred.

    `is_rechecked`: the solver agrees that they refute the goal.
    """

    verdict: Verdict
    names: tuple[Name, ...] = ()
    is_rechecked: bool = False


def nearest_core(
    solver: Solver, groups: Sequence[tuple[Name, tuple[Term, ...]]], goal: Term, limit: Callable[[], Limit]
) -> NearestCore[Name]:
    """The core of groups, given in their order in time, that refutes the goal.

    Unsatisfiability is monotone, more groups never make the goal possible again: so the shortest window that ends at
    the goal is found by galloping and bisection.
    """

    def is_refuted(chosen: Sequence[tuple[Name, tuple[Term, ...]]]) -> Verdict:
        problem = Problem(tuple(chosen), goal)
        return Verdict.UNSAT if refutes(problem, limit()) else solver.check(problem, limit()).verdict

    def agrees(chosen: Sequence[tuple[Name, tuple[Term, ...]]]) -> bool:
        """Whether the solver says so too: folding constants does not count."""
        return solver.check(Problem(tuple(chosen), goal), limit()).verdict is Verdict.UNSAT

    verdict = is_refuted(groups)
    if verdict is not Verdict.UNSAT:
        return NearestCore(verdict)
    if is_refuted(()) is Verdict.UNSAT:
        return NearestCore(verdict, (), agrees(()))
    too_few, enough = 0, 1
    while enough < len(groups) and is_refuted(groups[-enough:]) is not Verdict.UNSAT:
        too_few, enough = enough, min(enough * 4, len(groups))
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if is_refuted(groups[-middle:]) is Verdict.UNSAT:
            enough = middle
        else:
            too_few = middle
    near = groups[-enough:]
    result = solver.core(Problem(tuple(near), goal), limit())
    if result.verdict is not Verdict.UNSAT:
        return NearestCore(verdict, tuple(name for name, _ in near))
    chosen = [group for group in near if group[0] in set(result.core)]
    return NearestCore(verdict, tuple(name for name, _ in chosen), agrees(chosen))
