"""The recursive algorithm for flow-sensitive error invariants, as the definition suggests it: explain the failure, then each condition around what
the explanation needs, and so on. It shares no encoding with the flow-sensitive formula; tests compare the two."""

from __future__ import annotations

from dataclasses import dataclass, replace

from butfor.logic.rewrite import Substitution
from butfor.logic.solvers import Limit, Solver
from butfor.logic.terms import Term, negate
from butfor.methods.error_invariants.contradiction_chain import Chain, end_of, shortened
from butfor.methods.error_invariants.inductiveness import is_inductive
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.literal_interpolants import Literals
from butfor.path.path_formula import Formula, plain
from butfor.path.path_model import Path


@dataclass(frozen=True, slots=True)
class Naive:
    """Relevant positions of a path, conditions among them, and an invariant over cells before each instance and at the end."""

    positions: frozenset[int]
    conditions: frozenset[int]
    invariants: tuple[frozenset[Term], ...]


def naive(path: Path, solver: Solver, limit: Limit) -> Naive | None:
    """The answer of the recursive algorithm; None when a step of it has none."""
    wanted: list[tuple[int, Term]] = [(len(path.instances), path.check)]
    asked: set[int] = set()
    positions: set[int] = set()
    rows: list[set[Term]] = [set() for _ in range(len(path.instances) + 1)]
    work = [*wanted, *((k, negate(path.instances[k].condition)) for k in path.scope)]
    asked.update(path.scope)
    while work:
        length, goal = work.pop()
        found = _explained(path, length, goal, solver, limit)
        if found is None:
            return None
        chain, atoms = found
        _add(rows, chain, atoms, length)
        for step in chain.steps:
            positions.add(step.position)
            for branch in path.instances[step.position].scope:
                if branch not in asked:
                    asked.add(branch)
                    work.append((branch, negate(path.instances[branch].condition)))
    return Naive(frozenset(positions), frozenset(asked), tuple(frozenset(r) for r in rows))


def _explained(
    path: Path, length: int, goal: Term, solver: Solver, limit: Limit
) -> tuple[Chain, tuple[tuple[Term, ...], ...]] | None:
    """The error invariants of a goal that does not hold behind the first instances."""
    before = replace(path, instances=path.instances[:length], scope=(), check=goal)
    formula = plain(before)
    end = end_of(before, formula)
    chain = shortened(
        path, Formula(formula.pre, formula.steps, Substitution(end)(goal)), end, goal, False, solver, limit, length
    )
    if not isinstance(chain, Chain):
        return None
    questions = Questions(limit)
    for values in (True, False):
        made = Literals(chain, questions, repr, values=values).sequence()
        if made is not None and is_inductive(chain, made.atoms, questions):
            return chain, made.atoms
    return None


def _add(rows: list[set[Term]], chain: Chain, atoms: tuple[tuple[Term, ...], ...], length: int) -> None:
    """Strengthens the invariants by those of one explanation."""
    ends = [s.position for s in chain.steps]
    p = 0
    for k in range(length + 1):
        while p < len(ends) and ends[p] < k:
            p += 1
        rows[k].update(atoms[p])
