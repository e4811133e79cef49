"""The recursive algorithm for flow-sensitive error invariants (FSEI): the failure, then each condition around it.

Explain the failure, then each condition around the statements of the explanation, and so on. It shares no encoding with
the flow-sensitive formula, and tests compare the two. It knows no frames: that a variable was left as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from butfor.logic.solvers import Limit, Solver
from butfor.logic.terms import Term, negate
from butfor.methods.error_invariants.core_trace import CoreTrace, core_of_formula
from butfor.methods.error_invariants.inductive_sequence import InterpolationQueries, is_inductive
from butfor.methods.error_invariants.literal_interpolants import LiteralInterpolation
from butfor.path.path_formula import plain_formula
from butfor.path.path_model import Path


@dataclass(frozen=True, slots=True)
class RecursiveExplanation:
    """Relevant positions of a path, the conditions asked about, and the invariants before each instance and the end."""

    positions: frozenset[int]
    conditions: frozenset[int]
    invariants: tuple[frozenset[Term], ...]
    minimal: bool = True  # no statement can be left out of the explanation that it is from


def explain_recursively(path: Path, solver: Solver, limit: Limit) -> RecursiveExplanation | None:
    """The explanation of a path's failure; None when a step of the recursion finds none."""
    wanted: list[tuple[int, Term]] = [(len(path.instances), path.check)]
    asked: set[int] = set()
    positions: set[int] = set()
    minimal = True
    rows: list[set[Term]] = [set() for _ in range(len(path.instances) + 1)]
    work = [*wanted, *((k, negate(path.instances[k].condition)) for k in path.scope)]
    asked.update(path.scope)
    while work:
        length, goal = work.pop()
        found = _explained(path, length, goal, solver, limit)
        if found is None:
            return None
        core, atoms = found
        minimal = minimal and core.minimal
        _add(rows, core, atoms, length)
        for step in core.steps:
            positions.add(step.position)
            for branch in path.instances[step.position].scope:
                if branch not in asked:
                    asked.add(branch)
                    work.append((branch, negate(path.instances[branch].condition)))
    return RecursiveExplanation(frozenset(positions), frozenset(asked), tuple(frozenset(r) for r in rows), minimal)


def _explained(
    path: Path, length: int, goal: Term, solver: Solver, limit: Limit
) -> tuple[CoreTrace, tuple[tuple[Term, ...], ...]] | None:
    """The error invariants of a goal that does not hold after the first `length` instances."""
    before = replace(path, instances=path.instances[:length], scope=(), check=goal)
    formula = plain_formula(before)
    core = core_of_formula(path, formula, goal, False, solver, limit, length)
    if not isinstance(core, CoreTrace):
        return None
    queries = InterpolationQueries(limit)
    for values in (True, False):
        made = LiteralInterpolation(core, queries, repr, values=values).sequence()
        if made is not None and is_inductive(core, made.atoms, queries):
            return core, made.atoms
    return None


def _add(rows: list[set[Term]], core: CoreTrace, atoms: tuple[tuple[Term, ...], ...], length: int) -> None:
    """Strengthen the invariants by those of one explanation."""
    ends = [s.position for s in core.steps]
    p = 0
    for k in range(length + 1):
        while p < len(ends) and ends[p] < k:
            p += 1
        rows[k].update(atoms[p])
