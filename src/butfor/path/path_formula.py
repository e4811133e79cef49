"""A path as equations over versions of its cells, one group for each instance.

`cell@k` is a cell before instance k as far as it was assigned by then: the version of a cell is the position behind the last instance that
assigned it. The plain trace formula says of each instance that it did what it did. In the flow-sensitive one an instance does so only under the
conditions of the branches around it, a branch by itself assumes nothing, and frames are steps of their own: under the conditions of the arm that
was taken, what the other arms might have assigned stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from butfor.logic.selector_problem import Problem
from butfor.logic.sorts import Value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import TRUE, Term, conjunction, constant, equal, implies, negate, variable
from butfor.path.path_model import Cell, Instance, Kind, Path


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a formula: the instance at `position`, or the frame of a branch there. `terms` say what it did, `after` maps cells to versions."""

    position: int
    is_frame: bool
    terms: tuple[Term, ...]
    before: Mapping[str, Term]
    after: Mapping[str, Term]

    @property
    def name(self) -> tuple[int, str]:
        """Its name as a group."""
        return self.position, "frame" if self.is_frame else "step"


@dataclass(frozen=True, slots=True)
class Formula:
    """pre, steps, check: pre and the steps hold together, all three do not. All over versions."""

    pre: Term
    steps: tuple[Step, ...]
    check: Term

    def problem(self, goal: Term | None = None) -> Problem[tuple[int, str]]:
        """Can the check hold at the end of the path? Or another goal, over versions."""
        wanted = self.check if goal is None else goal
        return Problem(tuple((s.name, s.terms) for s in self.steps if s.terms), conjunction((self.pre, wanted)))


def versioned(cell: Cell, version: int) -> Term:
    """A version of a cell."""
    return variable(f"{cell.name}@{version}", cell.sort)


def start(path: Path, versions: Mapping[str, Term]) -> Term:
    """The precondition: `pre`, and the cells whose first values are known."""
    sorts = {c.name: c for c in path.cells}
    known = [_is(versions[name], value) for name, value in path.initial.items() if name in sorts]
    return conjunction((Substitution(versions)(path.pre), *known))


def _is(term: Term, value: Value) -> Term:
    if term.width:
        return equal(term, constant(value, term.width))
    return term if value else negate(term)


def plain(path: Path) -> Formula:
    """The trace formula."""
    versions: dict[str, Term] = {c.name: versioned(c, 0) for c in path.cells}
    first = start(path, versions)
    steps = []
    for k, instance in enumerate(path.instances):
        before = dict(versions)
        terms = _did(instance, k, before, versions)
        steps.append(Step(k, False, terms, before, dict(versions)))
    return Formula(first, tuple(steps), Substitution(versions)(path.check))


def _did(instance: Instance, k: int, before: Mapping[str, Term], versions: dict[str, Term]) -> tuple[Term, ...]:
    """What an instance did; `versions` are those after it."""
    put = Substitution(before)
    terms = [put(instance.condition)] if instance.condition is not TRUE else []
    for cell, value in instance.writes:
        versions[cell.name] = versioned(cell, k + 1)
        if value is not None:
            terms.append(equal(versions[cell.name], put(value)))
    return tuple(terms)


def flow_sensitive(path: Path) -> Formula:
    """The flow-sensitive trace formula: what an instance did is guarded by the conditions around it, and so is the check.

    The condition of a branch has a boolean of its own, `branch k`; together with those around it, it is `in k`, the guard of its arm.
    """
    return _Flow(path).formula()


class _Flow:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.versions: dict[str, Term] = {c.name: versioned(c, 0) for c in path.cells}
        self.steps: list[Step] = []

    def formula(self) -> Formula:
        first = start(self.path, self.versions)
        for k, instance in enumerate(self.path.instances):
            guard = self._guard(instance.scope)
            if instance.kind is Kind.BRANCH:
                self._branch(k, instance, guard)
            else:
                before = dict(self.versions)
                terms = _did(instance, k, before, self.versions)
                self.steps.append(Step(k, False, tuple(implies(guard, t) for t in terms), before, dict(self.versions)))
        check = Substitution(self.versions)(self.path.check)
        return Formula(first, tuple(self.steps), implies(self._guard(self.path.scope), check))

    def _guard(self, scope: tuple[int, ...]) -> Term:
        """The conditions of a scope: the guard of its innermost arm, if that stands under the rest."""
        if not scope:
            return TRUE
        if self.path.instances[scope[-1]].scope == scope[:-1]:
            return variable(f"in {scope[-1]}", 0)
        return conjunction(variable(f"branch {k}", 0) for k in scope)

    def _branch(self, k: int, instance: Instance, guard: Term) -> None:
        """A branch names its condition and its guard; its frames keep cells as they are."""
        before = dict(self.versions)
        condition, inside = variable(f"branch {k}", 0), variable(f"in {k}", 0)
        terms = (
            equal(condition, Substitution(before)(instance.condition)),
            equal(inside, conjunction((guard, condition))),
        )
        self.steps.append(Step(k, False, terms, before, before))
        if instance.frames:
            kept = []
            for cell in instance.frames:
                self.versions[cell.name] = versioned(cell, k + 1)
                kept.append(implies(inside, equal(self.versions[cell.name], before[cell.name])))
            self.steps.append(Step(k, True, tuple(kept), before, dict(self.versions)))
