"""The fewest maximal intervals of invariants that cover a core trace; steps between are relevant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from butfor.logic.terms import conjunction
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.inductive_sequence import Atoms, InterpolationQueries


@dataclass(frozen=True, slots=True)
class InvariantInterval:
    """An error invariant for the positions first to last."""

    atoms: Atoms
    first: int
    last: int


def covering_intervals(
    core: CoreTrace, rows: tuple[Atoms, ...], queries: InterpolationQueries
) -> tuple[InvariantInterval, ...]:
    """The fewest intervals from the start to the goal; step `last` of each but the last one is relevant."""
    intervals = _MaximalIntervals(core, rows, queries)
    chosen: list[InvariantInterval] = []
    at = 0
    while at <= len(core):
        best = intervals.farthest(at, chosen[-1] if chosen else None)
        chosen.append(InvariantInterval(best.atoms, at, best.last))
        at = best.last + 1
    return tuple(chosen)


class _MaximalIntervals:
    def __init__(self, core: CoreTrace, rows: tuple[Atoms, ...], queries: InterpolationQueries) -> None:
        self.core = core
        self.rows = rows
        self.queries = queries
        self._known: dict[int, InvariantInterval] = {}
        self._validity: dict[tuple[int, Atoms], bool] = {}

    def farthest(self, at: int, before: InvariantInterval | None) -> InvariantInterval:
        """Of the intervals that contain a position and follow from the one before it, the one that ends last."""
        best = self._checked(self._maximal(at), at)
        if self.queries.is_over:
            return best
        reachable = range(self._end_of_block(at, -1), self._end_of_block(at, 1) + 1)
        found = [i for i in map(self._maximal, reachable) if i.first <= at <= i.last]
        for i in sorted(found, key=lambda i: -i.last):
            if i.last <= best.last:
                break
            checked = self._checked(i, at)
            if checked.last > best.last and (
                before is None or self.queries.leads_to(self.core, at - 1, before.atoms, i.atoms)
            ):
                best = checked
        return best

    def _checked(self, interval: InvariantInterval, at: int) -> InvariantInterval:
        """The part of an interval from a position to the first one where its invariant is none.

        Bisection finds where it begins and ends, but may pass over such a position.
        """
        last = at - 1
        while last < interval.last and self._is_valid(last + 1, interval.atoms):
            last += 1
        return InvariantInterval(interval.atoms, at, last)

    def _end_of_block(self, at: int, way: int) -> int:
        """The last position in a direction that is reached without crossing a guarded step."""
        while 0 <= at + way <= len(self.core) and not self.core.is_guarded(at if way > 0 else at - 1):
            at += way
        return at

    def _maximal(self, k: int) -> InvariantInterval:
        found = self._known.get(k)
        if found is None:
            atoms = self.rows[k]
            first = self._reach(k, -1, lambda p: self._is_valid(p, atoms))
            last = self._reach(k, 1, lambda p: self._is_valid(p, atoms))
            found = self._known[k] = InvariantInterval(atoms, first, last)
        return found

    def _reach(self, k: int, way: int, valid: Callable[[int], bool]) -> int:
        """The farthest position in a direction where the invariant of k is one, by bisection."""
        good, bad = k, self._end_of_block(k, way) + way
        if abs(bad - good) > 1 and not valid(good + way):
            return good
        while abs(bad - good) > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if valid(middle) else (good, middle)
        return good

    def _is_valid(self, position: int, atoms: Atoms) -> bool:
        if atoms == self.rows[position]:
            return True
        if not self.core.held(position, conjunction(atoms)) or self.queries.is_over:
            return False
        key = position, atoms
        if key not in self._validity:
            self._validity[key] = self.queries.is_error_invariant(self.core, position, atoms)
        return self._validity[key]
