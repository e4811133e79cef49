"""The cause tree of a failing path: what made the check fail, which decisions led there, and why.

A cause of a property at a position is a minimal unsatisfiable core of the property and the nearest instances before it.
First the assignments are asked alone, then with the conditions that held, at last with the inputs pinned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butfor.logic.solvers import Limit, Solver, Verdict
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, negate
from butfor.methods.case import Budget
from butfor.path.instance_uses import uses_of
from butfor.path.path_model import Kind, Path
from butfor.path.ssa_form import ssa_form
from butfor.trace.view.source_places import Place

Group = tuple[tuple[int, int], tuple[Term, ...]]

SECONDS_PER_QUERY = 5.0  # each node takes several, and a tree has dozens of nodes
_START = -1  # the position that stands for the precondition


@dataclass(frozen=True, slots=True)
class CauseCore:
    """The positions of instances that contradict a property. `pinned`: only for the values found for the inputs."""

    positions: tuple[int, ...]
    proved: bool
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class PathCause:
    """One node of the tree.

    `branch` is the position of the decision that is explained, None for the check; `others` are its other iterations.
    """

    id: int
    parent: int | None
    level: int
    via: str
    branch: int | None
    core: CauseCore
    others: tuple[int, ...] = ()

    @property
    def positions(self) -> tuple[int, ...]:
        """The instances of the node: those of the core, and the decision itself."""
        return (*self.core.positions, *(() if self.branch is None else (self.branch,)))


class PathCauses:
    """Builds the tree level by level within a budget."""

    def __init__(
        self, path: Path, solver: Solver, budget: Budget, is_benign: Callable[[Place], bool] = lambda place: False
    ) -> None:
        self.path = path
        self.solver = solver
        self.budget = budget
        self.is_benign = is_benign
        self.uses = uses_of(path)
        self.ssa = ssa_form(path)
        self.complete = True

    def tree(self, depth: int) -> list[PathCause]:
        """The causes of the failure up to a depth; each decision once for each outcome."""
        last = len(self.path.instances)
        causes = [PathCause(0, None, 0, "check", None, self._core_of(self.ssa.check, last))]
        known = set()
        for parent in causes:  # grows during the loop
            if parent.level >= depth:
                continue
            found = dict(self._critical(parent))
            for branch, via in sorted(found.items(), reverse=True):
                key = self._outcome(branch)
                if key in known or self.is_benign(self.path.instances[branch].place):
                    continue
                if self.budget.is_over():
                    self.complete = False
                    return causes
                known.add(key)
                same = tuple(b for b in found if b != branch and self._outcome(b) == key)
                core = self._core_of(negate(self.ssa.instances[branch].condition), branch)
                causes.append(PathCause(len(causes), parent.id, parent.level + 1, via, branch, core, same))
        return causes

    def _outcome(self, branch: int) -> tuple[Place, bool]:
        instance = self.path.instances[branch]
        return instance.place, instance.held

    def _critical(self, cause: PathCause) -> Iterator[tuple[int, str]]:
        """The critical conditions of a cause: decisions around it, and those whose other arm assigns what it reads."""
        last = len(self.path.instances)
        positions = cause.positions if cause.branch is not None else (*cause.positions, last)
        for position in positions:
            for branch in self.uses.omitted[position]:
                yield branch, "potential"
        for position in positions:
            scope = self.path.scope if position == last else self.path.instances[position].scope
            if scope:
                yield scope[-1], "control"
        if cause.branch is None:
            for position, instance in enumerate(self.path.instances):
                if instance.escapes:
                    yield position, "control"

    def _core_of(self, goal: Term, end: int) -> CauseCore:
        """The core of why the goal cannot hold after the first `end` instances."""
        ssa, recorded = self.ssa, {**self.path.start, **self.path.initial}
        unknown = False
        for with_conditions, pinned in ((False, False), (True, False), (True, True)):
            groups: list[Group] = [((_START, 0), (ssa.pre, *(ssa.starts_with(recorded) if pinned else ())))]
            for k in range(end):
                terms = (
                    *ssa.instances[k].assigned,
                    *((ssa.instances[k].condition,) if with_conditions and self._has_condition(k) else ()),
                    *(ssa.recorded_inputs(k) if pinned else ()),
                )
                if terms:
                    groups.append(((k, 0), terms))
            verdict, core, minimal = self._minimal_core(groups, goal)
            if verdict is Verdict.UNSAT:
                return CauseCore(tuple(k for k in core if k != _START), minimal, pinned)
            unknown |= verdict is Verdict.UNKNOWN
        self.complete &= not unknown
        return CauseCore(self._data_slice(end), False)

    def _has_condition(self, position: int) -> bool:
        return self.path.instances[position].kind in (Kind.BRANCH, Kind.ASSUME)

    def _minimal_core(self, groups: list[Group], goal: Term) -> tuple[Verdict, tuple[int, ...], bool]:
        """The verdict on the goal; if UNSAT, a minimal core of the nearest groups, and whether it was re-checked."""
        verdict = self._check(groups, goal)
        if verdict is not Verdict.UNSAT:
            return verdict, (), False
        enough, too_few = len(groups), 0
        while enough - too_few > 1:  # unsatisfiability is monotone: more groups never make the goal possible again
            middle = (enough + too_few) // 2
            if self._check(groups[-middle:], goal) is Verdict.UNSAT:
                enough = middle
            else:
                too_few = middle
        if self._check([], goal) is Verdict.UNSAT:
            return verdict, (), True
        near = groups[-enough:]
        result = self.solver.core(Problem(tuple(near), goal), self._limit())
        if result.verdict is not Verdict.UNSAT:
            return verdict, tuple(name[0] for name, _ in near), False
        chosen = [g for g in near if g[0] in set(result.core)]
        return verdict, tuple(name[0] for name, _ in chosen), self._check(chosen, goal) is Verdict.UNSAT

    def _check(self, groups: list[Group], goal: Term) -> Verdict:
        return self.solver.check(Problem(tuple(groups), goal), self._limit()).verdict

    def _limit(self) -> Limit:
        return Limit.after(SECONDS_PER_QUERY, self.budget.is_over)

    def _data_slice(self, end: int) -> tuple[int, ...]:
        """The instances that a position depends on by data; a core for where no solver finds one."""
        seen: set[int] = set()
        work = [writer for _, writer in self.uses.reads[end]]
        while work:
            k = work.pop()
            if k >= 0 and k not in seen:
                seen.add(k)
                work += [writer for _, writer in self.uses.reads[k]]
        return tuple(sorted(seen))
