"""Cores of problems that folding constants refutes: for long paths, on which a solver takes long to find one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic

from butfor.logic.solvers.model_rotation import ModelRotation
from butfor.logic.solvers.solver import Limit, Name, Problem, Solver, Verdict
from butfor.logic.unit_propagation import Propagation


@dataclass(frozen=True, slots=True)
class PropagatedCore(Generic[Name]):
    """Groups that refute the goal of a problem. `minimal`: none of them can be left out."""

    names: tuple[Name, ...]
    minimal: bool


def propagated_core(problem: Problem[Name], solver: Solver, limit: Limit) -> PropagatedCore[Name] | None:
    """A core, minimal where the limit allows it; None where folding constants does not refute the goal in time."""
    kept = _refuting(problem, range(len(problem.groups)), limit)
    if kept is None:
        return None
    known = ModelRotation(problem, set(kept)).needed(lambda: limit.left <= 0.0)
    needed: list[int] = []
    rest = sorted(kept)
    is_minimal = True
    while rest:
        if limit.left <= 0.0:
            needed += rest
            is_minimal = is_minimal and known.issuperset(rest)
            break
        tried = rest.pop()
        if tried in known:
            needed.append(tried)
            continue
        fewer = _refuting(problem, (*rest, *needed), limit)
        if fewer is not None:
            rest = [k for k in rest if k in fewer]
            continue
        names = {problem.groups[k][0] for k in (*rest, *needed)}
        verdict = solver.check(problem.only(names), limit).verdict
        if verdict is not Verdict.UNSAT:
            needed.append(tried)
            is_minimal = is_minimal and verdict is Verdict.SAT
    return PropagatedCore(tuple(problem.groups[k][0] for k in sorted(needed)), is_minimal)


def _refuting(problem: Problem[Name], numbers: Collection[int], limit: Limit) -> set[int] | None:
    """Those of some groups that refute the goal by folding constants; None where they do not, or not in time."""
    constants = Propagation()
    constants.add(problem.goal.args if problem.goal.op == "all" else (problem.goal,), -1, limit)
    for number in sorted(numbers):
        if constants.is_contradiction or limit.left <= 0.0:
            break
        constants.add(problem.groups[number][1], number)
    return constants.groups_in_conflict() - {-1} if constants.is_contradiction else None
