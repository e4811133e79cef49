"""Runs a path with changes by evaluation alone, which checks what the solver says about a solution."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import is_literal
from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import INT, Value, default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, constant, variables
from butfor.methods.repair.on_paths.solution_model import CONDITION
from butfor.path.execute.relaxed_path import from_outside
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Instance, Kind, Path

# of changed values, by position and cell; None: no bound
Bounds = Mapping[tuple[int, int], tuple[int | None, int | None]]
CellValues = dict[str, Value | None]  # None: nothing determines the value


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
        self._sorts = {c.name: c.sort for c in path.cells}
        self._states: list[CellValues] = [
            {c.name: None if c.type == UNKNOWN else self._initial_value(c.name) for c in path.cells}
        ]

    def run(
        self, changes: Mapping[tuple[int, int], Term], chosen: Mapping[str, Value], allowed: Bounds | None = None
    ) -> PathOutcome:
        """How the path ends with other terms at some positions and cells.

        `chosen` are the values of the variables in them that are no cells; `allowed` bounds the changed values, read as
        signed numbers.
        """
        bounds = allowed or {}
        k = steps = self._unchanged_prefix(min((k for k, _ in changes), default=0))
        state = dict(self._states[k])
        while k < len(self.path.instances):
            instance = self.path.instances[k]
            if k in self.checks and (found := self._value(self.path.check, state, chosen)) != 1:
                return PathOutcome(PathEnd.OPEN if found is None else PathEnd.FAILS, steps)
            steps += 1
            if instance.kind is Kind.BRANCH:
                holds = self._value(changes.get((k, CONDITION), instance.condition), state, chosen)
                if holds is None:
                    return PathOutcome(PathEnd.OPEN, steps)
                if not holds:
                    return PathOutcome(PathEnd.AVOIDS, steps, left=True)
                k += 1
                continue
            if instance.condition is not TRUE and (found := self._value(instance.condition, state, chosen)) != 1:
                return PathOutcome(PathEnd.OPEN if found is None else PathEnd.BROKEN, steps)
            new = self._written(k, instance, changes, state, chosen)
            for number, (cell, _) in enumerate(instance.writes):
                if (
                    (k, number) in bounds
                    and (k, number) in changes
                    and not _is_within(new[cell.name], cell.sort, bounds[k, number])
                ):
                    return PathOutcome(PathEnd.BROKEN, steps)
            state |= new
            k += 1
        found = self._value(self.path.check, state, chosen)
        return PathOutcome(PathEnd.OPEN if found is None else PathEnd.AVOIDS if found else PathEnd.FAILS, steps)

    def _unchanged_prefix(self, position: int) -> int:
        """The length of the prefix up to a position that runs as recorded, with the states of which runs begin."""
        while len(self._states) <= position:
            k = len(self._states) - 1
            instance, state = self.path.instances[k], self._states[k]
            if self._value(instance.condition, state, {}) != 1 or (
                k in self.checks and self._value(self.path.check, state, {}) != 1
            ):
                return k
            self._states.append({**state, **self._written(k, instance, {}, state, {})} if instance.writes else state)
        return position

    def _initial_value(self, name: str) -> Value:
        return self.path.initial.get(name, self.path.start.get(name, default_value(self._sorts[name])))

    def _written(
        self,
        k: int,
        instance: Instance,
        changes: Mapping[tuple[int, int], Term],
        state: CellValues,
        chosen: Mapping[str, Value],
    ) -> CellValues:
        new: CellValues = {}
        for number, (cell, term) in enumerate(instance.writes):
            if from_outside(instance, cell, term) or term is None:
                new[cell.name] = instance.recorded[cell.name]
            else:
                new[cell.name] = self._value(changes.get((k, number), term), state, chosen)
        return new

    def _value(self, term: Term, state: CellValues, chosen: Mapping[str, Value]) -> Value | None:
        """The value of a term; None where it depends on an undetermined cell."""
        names = variables((term,))
        values = {n: chosen[n] if n in chosen else state.get(n) for n in (str(v.data) for v in names)}
        if all(v is not None for v in values.values()):
            return Evaluator(values)(term)
        known = {str(v.data): constant(values[str(v.data)], v.width) for v in names if values[str(v.data)] is not None}
        found = substitute(term, known, ALGEBRA)
        if found is TRUE or found is FALSE:
            return int(found is TRUE)
        return found.data if is_literal(found) else None


def _is_within(value: Value | None, sort: int, bounds: tuple[int | None, int | None]) -> bool:
    """Whether a number is within bounds; an unknown one is not."""
    low, high = bounds
    if sort != INT and sort <= 0:
        return True
    if value is None:
        return False
    number = value - (1 << sort) if sort > 0 and value >> sort - 1 else value
    return (low is None or low <= number) and (high is None or number <= high)
