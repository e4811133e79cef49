"""A path with one statement changed: which conditions of the failure can then be violated.

Only the instances that the change reaches are executed again. All else is as it was, so nearly everything is a number.
The failure is avoided if any one of the conditions can be violated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import Value, default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, implies, ite, variable, variables
from butfor.path.execute.any_value import any_value
from butfor.path.execute.path_execution import Lookup, Needed, Role, is_given, leaves_for_good, nesting_of
from butfor.path.execute.sparse_execution import CLOSE, EFFECT, RUN, SparseExecution
from butfor.path.execute.statement_changes import Change, OpenCells
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.execute.value_domains import OPEN, Terms, unless_moved
from butfor.path.path_model import Cell, Kind, Path

STEPS_PER_CLOCK_CHECK = 256  # a step is so short that the clock is not asked each time


@dataclass(frozen=True, slots=True)
class NeededCondition:
    """A condition that the failure needs and a change may violate; `recorded` are the values of its variables."""

    condition: Term
    recorded: dict[str, Value]

    @property
    def is_open(self) -> bool:
        """Whether it depends on what nothing determines."""
        return any(str(v.data).startswith(OPEN) for v in variables((self.condition,)))


class OutOfTime(Exception):
    """The time was over before the path was executed to its end."""


class SingleChangeRerun:
    """One path as it ran, and again with changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.execution = SymbolicExecution(path, pinned=True)
        self.nesting = nesting_of(path)
        self.leaves = leaves_for_good(path)
        names = {n: variable(f"{OPEN}{n}", sort) for n, sort in self.execution.symbols.sorts.items()}
        self._open = names.get
        self._known: dict[Term, Term] = {}

    def value(self, cell: str, position: int) -> Term:
        """What a cell held before the instance at a position, open where nothing says."""
        found = self.execution.value(cell, position)
        if not self.execution.symbols.sorts or (not found.args and found.op != "var"):
            return found
        if found not in self._known:
            self._known[found] = substitute(found, self._open, ALGEBRA)
        return self._known[found]

    def needed(self, change: Change, is_over: Callable[[], bool] = lambda: False) -> Iterator[NeededCondition]:
        """The conditions of the failure that a change affects; only they can avoid it. Raises OutOfTime."""
        return _ChangedRun(self, change, is_over).needed()


class _ChangedRun(SparseExecution):
    def __init__(self, rerun: SingleChangeRerun, change: Change, is_over: Callable[[], bool]) -> None:
        self.changed = _ChangedStatement(rerun, change)
        super().__init__(rerun.execution, self.changed, rerun.leaves, rerun.value, rerun.nesting)
        self.change = change
        self.is_over = is_over
        self.skipped: set[int] = set()
        self.accesses: list[Term] = []  # that they go where they went
        self.before_effects: dict[int, dict[str, Term]] = {}  # by effect: cells before what may not have run

    def needed(self) -> Iterator[NeededCondition]:
        if self.change.leads:
            yield NeededCondition(FALSE, {})
            return
        for name in sorted(self.change.starts):
            self.assign(name, self.changed.fresh(f"i.{name}", self.unchanged(name, 0)), 0)
        for k in self.change.on:
            self.later(k, RUN)
        for number, effect in enumerate(self.change.effects):
            self.later(effect.since, EFFECT, number)
            if effect.skips:
                self.later(effect.position, EFFECT, number)
                self.skipped.update(range(effect.since, effect.position))
        for steps, (k, what, number) in enumerate(self.events(), start=1):
            if steps % STEPS_PER_CLOCK_CHECK == 0 and self.is_over():
                raise OutOfTime
            if what == CLOSE:
                self.close(k)
            elif what == EFFECT:
                self._effect(k, number, self.change.effects[number])
            elif k not in self.skipped:
                found = self.run(k)
                if found is not None:
                    yield NeededCondition(self._condition(found), self.changed.recorded)

    def may_be_skipped(self, position: int) -> bool:
        return position in self.skipped

    def _condition(self, needed: Needed[Term]) -> Term:
        """A condition that the failure needs while every access goes where it went; beyond that nothing is known."""
        condition = implies(needed.guard, needed.condition)
        if needed.role is Role.ACCESS:
            self.accesses.append(condition)
            condition = variable(f"{OPEN}a{needed.position}", 0)  # whether the failure is avoided then, nothing tells
        return unless_moved(condition, self.accesses)

    def _effect(self, k: int, number: int, effect: OpenCells) -> None:
        if effect.skips and k == effect.since:
            self.before_effects[number] = {name: self.held(name, k) for name in effect.cells}
            return
        guard = self.guard(effect.since)
        for j, name in enumerate(effect.cells):
            new = self.changed.fresh(f"e{number}.{j}", self.unchanged(name, effect.position))
            old = self.before_effects[number][name] if effect.skips else self.held(name, k)
            self.assign(name, new if guard is TRUE else ite(guard, new, old), effect.position)


class _ChangedStatement(Terms):
    """Terms over what a changed statement may give; `recorded` are the values of its variables."""

    def __init__(self, rerun: SingleChangeRerun, change: Change) -> None:
        super().__init__(rerun.path)
        self.rerun = rerun
        self.change = change
        self.recorded: dict[str, Value] = {}

    def fresh(self, name: str, was: Term) -> Term:
        """Any value in the place of another one."""
        values = {str(v.data): self.recorded.get(str(v.data), default_value(v.width)) for v in variables((was,))}
        self.recorded[name] = Evaluator(values)(was)
        return variable(name, was.width)

    def from_outside(self, k: int, number: int, cell: Cell) -> Term:
        return self.rerun.value(cell.name, k + 1)

    def condition(self, k: int, condition: Term, lookup: Lookup[Term], guard: Term) -> Term:
        instance = self.path.instances[k]
        if k in self.change.on and instance.kind is Kind.BRANCH:
            self.recorded[f"c{k}"] = 1
            return variable(f"c{k}", 0)
        if condition is not TRUE and condition is self.value(
            instance.condition, lambda name: self.rerun.value(name, k)
        ):
            return TRUE  # as it was: that it is not known to hold has nothing to do with the change
        return condition

    def assigned(self, k: int, number: int, value: Term, lookup: Lookup[Term], guard: Term) -> Term:
        if k not in self.change.on:
            return value
        cell, term = self.path.instances[k].writes[number]
        if is_given(self.path.instances[k], cell, term) and k not in self.change.inputs:
            return value
        return any_value(f"r{k}.{number}", cell.term, term, value, lookup, self.fresh)
