"""A path with one statement changed: which conditions of the failure can then be violated.

Only the instances that the change reaches are executed again. All else is as it was, so nearly everything is a number.
The failure is avoided if any one of the conditions can be violated.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import Value, default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, disjunction, implies, ite, negate, variable, variables
from butfor.path.execute.any_value import any_value
from butfor.path.execute.statement_changes import Change, OpenCells
from butfor.path.execute.symbolic_execution import OPEN, SymbolicExecution
from butfor.path.path_model import Instance, Kind, Path

STEPS_PER_CLOCK_CHECK = 256  # a step is so short that the clock is not asked each time
_CLOSE, _EFFECT, _RUN = range(3)  # what happens at a position, in this order


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
        self.parents, self.closing = _nesting(path)
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
        return _Walk(self, change, is_over).needed()


def _nesting(path: Path) -> tuple[list[int], dict[int, list[int]]]:
    """For each position the innermost branch around it, or -1, and the branches whose arms end there."""
    parents: list[int] = []
    closing: dict[int, list[int]] = {}
    open_branches: list[int] = []
    for k in range(len(path.instances) + 1):
        while open_branches and (k == len(path.instances) or path.instances[open_branches[-1]].end <= k):
            closing.setdefault(k, []).append(open_branches.pop())
        parents.append(open_branches[-1] if open_branches else -1)
        if k < len(path.instances) and path.instances[k].kind is Kind.BRANCH:
            open_branches.append(k)
    return parents, closing


class _Walk:
    def __init__(self, rerun: SingleChangeRerun, change: Change, is_over: Callable[[], bool]) -> None:
        self.r = rerun
        self.path = rerun.path
        self.change = change
        self.is_over = is_over
        self.overlay: dict[str, Term] = {}
        self.guards: dict[int, Term] = {}
        self.recorded: dict[str, Value] = {}
        self.queue: list[tuple[int, int, int]] = []  # position, what happens, number of an effect
        self.queued: set[tuple[int, int, int]] = set()
        self.filled = 0  # where the last arm ends of which all instances are looked at
        self.skipped: set[int] = set()
        self.addresses: list[Term] = []  # that accesses go where they went
        self.before: dict[int, dict[str, Term]] = {}  # by effect: cells before what may not have run

    def needed(self) -> Iterator[NeededCondition]:
        if self.change.leads:
            yield NeededCondition(FALSE, {})
            return
        for cell in sorted(self.change.starts):
            self._set(cell, self._fresh(f"i.{cell}", self.r.value(cell, 0)), 0)
        for k in self.change.on:
            self._later(k, _RUN)
        for number, effect in enumerate(self.change.effects):
            self._later(effect.since, _EFFECT, number)
            if effect.skips:
                self._later(effect.position, _EFFECT, number)
                self.skipped.update(range(effect.since, effect.position))
        steps = 0
        while self.queue:
            steps += 1
            if steps % STEPS_PER_CLOCK_CHECK == 0 and self.is_over():
                raise OutOfTime
            k, what, number = heapq.heappop(self.queue)
            if what == _CLOSE:
                self._close(k)
            elif what == _EFFECT:
                self._effect(k, number, self.change.effects[number])
            elif k not in self.skipped:
                found = self._run(k)
                if found is not TRUE:
                    yield NeededCondition(self._unless_moved(found), self.recorded)

    def _later(self, k: int, what: int, number: int = 0) -> None:
        """Queue what happens at a position, once."""
        item = k, what, number
        if item not in self.queued:
            self.queued.add(item)
            heapq.heappush(self.queue, item)

    def _unless_moved(self, condition: Term) -> Term:
        """A condition that the failure needs while every access goes where it went; beyond that nothing is known."""
        return disjunction((negate(conjunction(self.addresses)), condition)) if self.addresses else condition

    # --- values -------------------------------------------------------------------------------------------------------

    def _lookup(self, k: int) -> Callable[[str], Term]:
        overlay, value = self.overlay, self.r.value
        return lambda name: overlay.get(name) or value(name, k)

    def _set(self, name: str, term: Term, position: int) -> None:
        """Give a cell a value from a position on."""
        if term is self.r.value(name, position):
            self.overlay.pop(name, None)
            return
        self.overlay[name] = term
        touches, writers = self.r.execution.touches[name], self.r.execution.writers[name]
        for k in touches[bisect_left(touches, position) :]:
            self._later(k, _RUN)
            if k in writers:
                break

    def _fresh(self, name: str, was: Term) -> Term:
        """Any value in the place of another one."""
        values = {str(v.data): self.recorded.get(str(v.data), default_value(v.width)) for v in variables((was,))}
        self.recorded[name] = Evaluator(values)(was)
        return variable(name, was.width)

    def _guard(self, k: int) -> Term:
        """The condition under which the instance at a position runs."""
        return self.guards.get(self.r.parents[k], TRUE)

    # --- instances ----------------------------------------------------------------------------------------------------

    def _run(self, k: int) -> Term:
        """What the failure needs of the instance at a position."""
        lookup = self._lookup(k)
        if k == len(self.path.instances):
            return negate(substitute(self.path.check, lookup, ALGEBRA))
        instance = self.path.instances[k]
        guard = self._guard(k)
        condition = TRUE if instance.condition is TRUE else substitute(instance.condition, lookup, ALGEBRA)
        if condition is not TRUE and condition is substitute(
            instance.condition, lambda name: self.r.value(name, k), ALGEBRA
        ):
            condition = TRUE  # as it was: that it is not known to hold has nothing to do with the change
        if instance.kind is Kind.BRANCH:
            return self._branch(k, instance, guard, condition)
        if instance.is_address and condition is not TRUE:
            self.addresses.append(implies(guard, condition))
            return variable(f"{OPEN}a{k}", 0)  # whether the failure is avoided then, nothing tells
        new = {}
        for number, (cell, term) in enumerate(instance.writes):
            from_outside = term is None or cell.name in instance.inputs
            was = self.r.value(cell.name, k + 1)
            value = was if from_outside or term is None else substitute(term, lookup, ALGEBRA)
            if k in self.change.on and (not from_outside or k in self.change.inputs):
                value = any_value(f"r{k}.{number}", cell.term, term, value, lookup, self._fresh)
            new[cell.name] = value if guard is TRUE else ite(guard, value, lookup(cell.name))
        for name, value in new.items():
            self._set(name, value, k + 1)
        return implies(guard, condition) if condition is not TRUE else TRUE

    def _branch(self, k: int, instance: Instance, guard: Term, condition: Term) -> Term:
        if k in self.change.on:
            condition = variable(f"c{k}", 0)
            self.recorded[f"c{k}"] = 1
        taken = conjunction((guard, condition))
        if taken is not TRUE:
            self.guards[k] = taken
            for j in range(max(k + 1, self.filled), instance.end):
                self._later(j, _RUN)
            self.filled = max(self.filled, instance.end)
            self._later(instance.end, _CLOSE)
        if condition is TRUE:
            return TRUE
        if instance.escapes or k in self.path.scope:
            return implies(guard, condition)
        if k in self.path.silent:
            return implies(guard, disjunction((condition, variable(f"{OPEN}q{k}", 0))))
        return TRUE

    def _close(self, position: int) -> None:
        """Close the arms that end at a position: where one was not taken, what another arm may assign is any value."""
        for branch in self.r.closing.get(position, ()):
            taken = self.guards.get(branch, TRUE)
            if taken is TRUE:
                continue
            not_taken = conjunction((self._guard(branch), negate(taken)))
            for number, cell in enumerate(
                (*self.path.instances[branch].frames, *self.path.instances[branch].rewritten)
            ):
                now = self._lookup(position)(cell.name)
                self._set(cell.name, ite(not_taken, variable(f"{OPEN}f{branch}.{number}", cell.sort), now), position)

    def _effect(self, k: int, number: int, effect: OpenCells) -> None:
        lookup = self._lookup(k)
        if effect.skips and k == effect.since:
            self.before[number] = {name: lookup(name) for name in effect.cells}
            return
        guard = self._guard(effect.since)
        for j, name in enumerate(effect.cells):
            new = self._fresh(f"e{number}.{j}", self.r.value(name, effect.position))
            old = self.before[number][name] if effect.skips else lookup(name)
            self._set(name, new if guard is TRUE else ite(guard, new, old), effect.position)
