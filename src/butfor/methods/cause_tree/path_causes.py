"""The cause tree of a failing path: what made the check fail, which decisions led there, and why.

A cause of a property at a position is a minimal unsatisfiable core of the property and the nearest instances before it.
First the assignments are asked alone, then with the conditions that held, at last with the inputs pinned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from butfor.logic.nearest_core import nearest_core
from butfor.logic.solvers import Limit, Solver, Verdict
from butfor.logic.terms import Term, negate
from butfor.methods.budget import Budget
from butfor.methods.cause_tree.reading_units import ReadingUnit, reading_units
from butfor.methods.cause_tree.recorded_indices import RecordedIndices
from butfor.path.instance_uses import uses_of
from butfor.path.path_model import Kind, Path
from butfor.path.ssa_form import ssa_form
from butfor.trace.view.source_places import Place

Group = tuple[tuple[int, int], tuple[Term, ...]]

SECONDS_PER_QUERY = 5.0  # each node takes several, and a tree has dozens of nodes
# With the conditions that held, and with the inputs pinned: asked one after the other until the property is refuted.
_QUESTIONS = ((False, False), (True, False), (True, True))
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

    `branch` is the position of the decision that is explained, None for the check and for its addresses; `others` are
    its other iterations.
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
        decided = () if self.branch is None or self.via == "address" else (self.branch,)
        return (*self.core.positions, *decided)


class PathCauses:
    """Builds the tree level by level within a budget."""

    def __init__(
        self,
        path: Path,
        solver: Solver,
        budget: Budget,
        is_benign: Callable[[Place], bool] = lambda place: False,
        *,
        path_conditions: bool = False,
    ) -> None:
        self.path = path
        self.solver = solver
        self.budget = budget
        self.is_benign = is_benign
        self.uses = uses_of(path)
        self.ssa = ssa_form(path)
        self.indices = RecordedIndices(path, self.ssa)
        self.complete = True
        self._questions = _QUESTIONS[1:] if path_conditions else _QUESTIONS
        self._causes: list[PathCause] = []
        self._addresses: dict[int, CauseCore | None] = {}  # by the number of the cause that uses them

    def tree(self, depth: int) -> list[PathCause]:
        """The causes of the failure up to a depth; each decision once for each outcome."""
        last = len(self.path.instances)
        causes = self._causes
        causes.append(self._settled(PathCause(0, None, 0, "check", None, self._core_of(self.ssa.check, last))))
        known = set()
        for parent in causes:  # grows during the loop
            if parent.level >= depth:
                continue
            if parent.via != "address":
                self._add_addresses(parent)
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
                cause = PathCause(len(causes), parent.id, parent.level + 1, via, branch, core, same)
                causes.append(self._settled(cause))
        return causes

    def _add_addresses(self, parent: PathCause) -> None:
        """Add why the indices of maps in a cause had the values they had, if that names a new line."""
        core = self._address_core(parent)
        if core is None:
            return
        core = replace(core, positions=tuple(k for k in core.positions if k not in set(parent.positions)))
        if not self._lines(core.positions) <= self._lines_above(parent):
            self._causes.append(
                PathCause(len(self._causes), parent.id, parent.level + 1, "address", parent.branch, core)
            )

    def _address_core(self, cause: PathCause) -> CauseCore | None:
        """Why the indices of maps in a cause had the values they had; None if it uses none."""
        if cause.id not in self._addresses:
            end = len(self.path.instances) if cause.branch is None else cause.branch
            goal = self.ssa.check if cause.branch is None else self.ssa.instances[cause.branch].condition
            differs = self.indices.differ((goal, *self._assigned(cause.core)))
            core = None if differs is None or self.budget.is_over() else self._core_of(differs, end)
            if core is not None and self.indices.differ(self._assigned(core)) is not None:
                core = replace(core, pinned=True)
            self._addresses[cause.id] = core
        return self._addresses[cause.id]

    def _assigned(self, core: CauseCore) -> tuple[Term, ...]:
        return tuple(term for k in core.positions for term in self.ssa.instances[k].assigned)

    def _settled(self, cause: PathCause) -> PathCause:
        """The cause, which holds for the values found only if its indices do."""
        address = self._address_core(cause)
        is_open = address is not None and (address.pinned or not address.proved)
        return replace(cause, core=replace(cause.core, pinned=True)) if is_open else cause

    def _lines(self, positions: Iterable[int]) -> set[ReadingUnit]:
        return reading_units(self.path.instances[k].place for k in positions)

    def _lines_above(self, cause: PathCause) -> set[ReadingUnit]:
        """What is read of a cause and of those on the way from the failure to it."""
        found = self._lines(cause.positions)
        while cause.parent is not None:
            cause = self._causes[cause.parent]
            found |= self._lines(cause.positions)
        return found

    def _outcome(self, branch: int) -> tuple[Place, bool]:
        instance = self.path.instances[branch]
        return instance.place, instance.held

    def _critical(self, cause: PathCause) -> Iterator[tuple[int, str]]:
        """The critical conditions of a cause: decisions around it, and those whose other arm assigns what it reads."""
        last = len(self.path.instances)
        positions = cause.positions if cause.branch is not None or cause.via == "address" else (*cause.positions, last)
        for position in positions:
            for branch in self.uses.omitted[position]:
                yield branch, "potential"
        for position in cause.core.positions:
            if position != cause.branch and self.path.instances[position].kind is Kind.BRANCH:
                yield position, "core"
        for position in positions:
            scope = self.path.scope if position == last else self.path.instances[position].scope
            yield from ((branch, "control") for branch in self._controlling(scope))
        if cause.branch is None and cause.via != "address":
            for position, instance in enumerate(self.path.instances):
                if instance.escapes:
                    yield position, "control"

    def _controlling(self, scope: tuple[int, ...]) -> Iterator[int]:
        """The closest of the decisions around an instance, and those of the blocks around that in the same procedure.

        Of each decision the nearest iteration. One that was asked right before the next is left to that, as in a row of
        `else if`.
        """
        met = set()
        inner = None
        for branch in reversed(scope):
            if self.path.instances[branch].frame != self.path.instances[scope[-1]].frame:
                return
            if self._outcome(branch) not in met and inner != branch + 1:
                yield branch
            met.add(self._outcome(branch))
            inner = branch

    def _core_of(self, goal: Term, end: int) -> CauseCore:
        """The core of why the goal cannot hold after the first `end` instances."""
        ssa, recorded = self.ssa, {**self.path.start, **self.path.initial}
        unknown = False
        for with_conditions, pinned in self._questions:
            groups: list[Group] = [((_START, 0), (ssa.pre, *(ssa.starts_with(recorded) if pinned else ())))]
            for k in range(end):
                terms = (
                    *ssa.instances[k].assigned,
                    *((ssa.instances[k].condition,) if with_conditions and self._has_condition(k) else ()),
                    *(ssa.recorded_inputs(k) if pinned else ()),
                )
                if terms:
                    groups.append(((k, 0), tuple(map(self.indices, terms))))
            core = nearest_core(self.solver, groups, self.indices(goal), self._limit)
            if core.verdict is Verdict.UNSAT:
                return CauseCore(tuple(k for k, _ in core.names if k != _START), core.is_rechecked, pinned)
            unknown |= core.verdict is Verdict.UNKNOWN
        self.complete &= not unknown
        return CauseCore(self._data_slice(end), False)

    def _has_condition(self, position: int) -> bool:
        return self.path.instances[position].kind in (Kind.BRANCH, Kind.ASSUME)

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
