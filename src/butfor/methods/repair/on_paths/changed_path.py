"""Runs a path with changes by evaluation alone, which checks what the solver says about a solution."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from butfor.logic.sorts import INT, Value, default_value
from butfor.logic.terms import Term
from butfor.methods.repair.on_paths.solution_model import CONDITION
from butfor.path.execute.path_execution import Lookup, PathExecution, Role, always_leaves, is_given, nesting_of
from butfor.path.execute.value_domains import KnownValues
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Path

# of changed values, by position and cell; None: no bound
Bounds = Mapping[tuple[int, int], tuple[int | None, int | None]]


class PathEnd(enum.Enum):
    """How a path ends."""

    FAILS = "fails"
    AVOIDS = "avoids"
    OPEN = "open"  # it depends on a value that nothing determines
    BROKEN = "broken"  # an assumption does not hold


@dataclass(frozen=True, slots=True)
class PathOutcome:
    """How a path ends, and after how many of its instances; `left`: it leaves the path at the last of them."""

    end: PathEnd
    steps: int
    left: bool = False


class ChangedPathRunner:
    """Runs one path. `checks` are positions before which the property of the final check has to hold too."""

    def __init__(self, path: Path, checks: Collection[int] = ()) -> None:
        self.path = path
        self.checks = frozenset(checks)
        self.nesting = nesting_of(path)
        self._sorts = {c.name: c.sort for c in path.cells}
        self._unchanged = self._execution(KnownValues(path))
        self._unchanged.now = {c.name: None if c.type == UNKNOWN else self._initial_value(c.name) for c in path.cells}
        self._states = [dict(self._unchanged.now)]  # at the positions of the prefix that runs as recorded

    def run(
        self, changes: Mapping[tuple[int, int], Term], chosen: Mapping[str, Value], allowed: Bounds | None = None
    ) -> PathOutcome:
        """How the path ends with other terms at some positions and cells.

        `chosen` are the values of the variables in them that are no cells; `allowed` bounds the changed values, read as
        signed numbers.
        """
        start = self._unchanged_prefix(min((k for k, _ in changes), default=0))
        execution = self._execution(_ChangedValues(self.path, changes, chosen, allowed or {}))
        execution.now = dict(self._states[start])
        try:
            needed = next(execution.onwards(start, self.checks), None)
        except _OutOfBoundsError as found:
            return PathOutcome(PathEnd.BROKEN, found.position + 1)
        if needed is None:
            return PathOutcome(PathEnd.FAILS, len(self.path.instances))
        steps = needed.position + (needed.role not in (Role.CHECK, Role.EARLIER_CHECK))
        if needed.condition is None:
            return PathOutcome(PathEnd.OPEN, steps)
        return PathOutcome(_ENDS[needed.role], steps, left=needed.role is Role.DECISION)

    def _execution(self, domain: KnownValues) -> PathExecution[Value | None]:
        return PathExecution(self.path, domain, always_leaves, self.nesting)

    def _unchanged_prefix(self, position: int) -> int:
        """The length of the prefix up to a position that runs as recorded, with the states of which runs begin."""
        while len(self._states) <= position:
            k = len(self._states) - 1
            if k in self.checks and self._unchanged.check(k) != 1:
                return k
            if self._unchanged.run(k) is not None:
                self._unchanged.now = dict(self._states[-1])
                return k
            writes = self.path.instances[k].writes
            self._states.append(dict(self._unchanged.now) if writes else self._states[-1])
        return position

    def _initial_value(self, name: str) -> Value:
        return self.path.initial.get(name, self.path.start.get(name, default_value(self._sorts[name])))


_ENDS = {  # of the path when what it needs does not hold
    Role.ACCESS: PathEnd.BROKEN,
    Role.ASSUMPTION: PathEnd.BROKEN,
    Role.DECISION: PathEnd.AVOIDS,
    Role.EARLIER_CHECK: PathEnd.FAILS,
    Role.CHECK: PathEnd.AVOIDS,
}


class _OutOfBoundsError(Exception):
    """A changed value is not within its bounds."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class _ChangedValues(KnownValues):
    def __init__(
        self, path: Path, changes: Mapping[tuple[int, int], Term], chosen: Mapping[str, Value], bounds: Bounds
    ) -> None:
        super().__init__(path)
        self.changes = changes
        self.chosen = chosen
        self.bounds = bounds

    def condition(
        self, k: int, condition: Value | None, lookup: Lookup[Value | None], guard: Value | None
    ) -> Value | None:
        term = self.changes.get((k, CONDITION))
        return condition if term is None else self.value(term, self._with_chosen(lookup))

    def assigned(
        self, k: int, number: int, value: Value | None, lookup: Lookup[Value | None], guard: Value | None
    ) -> Value | None:
        term = self.changes.get((k, number))
        cell, written = self.path.instances[k].writes[number]
        if term is None or is_given(self.path.instances[k], cell, written):
            return value
        new = self.value(term, self._with_chosen(lookup))
        if (k, number) in self.bounds and not _is_within(new, cell.sort, self.bounds[k, number]):
            raise _OutOfBoundsError(k)
        return new

    def _with_chosen(self, lookup: Lookup[Value | None]) -> Lookup[Value | None]:
        chosen = self.chosen
        return lambda name: chosen[name] if name in chosen else lookup(name)


def _is_within(value: Value | None, sort: int, bounds: tuple[int | None, int | None]) -> bool:
    """Whether a number is within bounds; an unknown one is not."""
    low, high = bounds
    if sort != INT and sort <= 0:
        return True
    if value is None:
        return False
    number = value - (1 << sort) if sort > 0 and value >> sort - 1 else value
    return (low is None or low <= number) and (high is None or number <= high)
