"""The fewest maximal intervals of invariants that cover a core trace; steps between are relevant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from butfor.logic.terms import conjunction
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.inductive_sequence import Atoms, InterpolationQueries
from butfor.methods.error_invariants.other_runs import OtherRuns


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
        self._other_runs = OtherRuns(core)
        self._known: dict[int, InvariantInterval] = {}
        self._validity: dict[tuple[int, Atoms], bool] = {}
        self._positions: dict[Atoms, list[int]] = {}  # of each invariant
        for position, atoms in enumerate(rows):
            self._positions.setdefault(atoms, []).append(position)

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
        if self.queries.is_over or not self.core.held(position, conjunction(atoms)):
            return False
        key = position, atoms
        if key not in self._validity:
            self._validity[key] = self._follows(position, atoms) and self._contradicts(position, atoms)
        return self._validity[key]

    def _follows(self, position: int, atoms: Atoms) -> bool:
        """Whether everything before a position implies atoms: since it does so earlier, or implies what stands here."""
        earlier = self._nearest(position, atoms, -1)
        if earlier is not None and self._is_same(earlier, position, atoms):
            return True
        core, whole = self.core, conjunction(atoms)
        return core.surely_follows(position, whole) or self.queries.follows(core, position, whole)

    def _contradicts(self, position: int, atoms: Atoms) -> bool:
        """Whether atoms contradict everything after a position: since they do so later, or imply what stands here."""
        later = self._nearest(position, atoms, 1)
        if later is not None and self._is_same(position, later, atoms):
            return True
        core, enough = self.core, self.rows[position]
        if self.queries.implies(core, position, atoms, enough, surely=True):
            return True
        if self._other_runs.avoids(position, atoms, enough):
            return False
        return (
            core.surely_fails(position, atoms)
            or self.queries.implies(core, position, atoms, enough)
            or self.queries.contradicts(core, position, conjunction(atoms))
        )

    def _nearest(self, position: int, atoms: Atoms, way: int) -> int | None:
        """The nearest position in a direction of which these atoms are the invariant."""
        known = self._positions[atoms]
        k = bisect_left(known, position) - (way < 0)
        return known[k] if 0 <= k < len(known) else None

    def _is_same(self, earlier: int, later: int, atoms: Atoms) -> bool:
        """Whether atoms speak of the same state at two positions, and their flags mean the same."""
        core = self.core
        here = set(core.flag_definitions(earlier)).union(*(s.terms for s in core.steps[earlier:later]))
        return all(core.at(earlier, a) is core.at(later, a) for a in atoms) and here.issuperset(
            core.flag_definitions(later)
        )
