"""Maximal intervals of error invariants, and the fewest of them that cover a chain: what stands between two of them matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from butfor.logic.terms import Evaluator, conjunction, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.inductiveness import is_error_invariant
from butfor.methods.error_invariants.interpolation_queries import Questions
from butfor.methods.error_invariants.literal_interpolants import Atoms


@dataclass(frozen=True, slots=True)
class Interval:
    """An error invariant for the positions first to last."""

    atoms: Atoms
    first: int
    last: int


def cover(chain: Chain, rows: tuple[Atoms, ...], questions: Questions) -> tuple[Interval, ...]:
    """The fewest intervals, from the start to the goal; step `last` of each but the last one is relevant."""
    intervals = _Intervals(chain, rows, questions)
    chosen: list[Interval] = []
    at = 0
    while at <= len(chain):
        best = intervals.farthest(at, chosen[-1] if chosen else None)
        chosen.append(Interval(best.atoms, at, best.last))
        at = best.last + 1
    return tuple(chosen)


class _Intervals:
    def __init__(self, chain: Chain, rows: tuple[Atoms, ...], questions: Questions) -> None:
        self.chain = chain
        self.rows = rows
        self.questions = questions
        self._known: dict[int, Interval] = {}

    def farthest(self, at: int, before: Interval | None) -> Interval:
        """Of the intervals that hold a position and follow from the one before it, the one that ends last."""
        own = self._maximal(at)
        if self.questions.is_over:
            return own
        found = [
            i for i in map(self._maximal, range(self._block(at, -1), self._block(at, 1) + 1)) if i.first <= at <= i.last
        ]
        found.sort(key=lambda i: (-i.last, i.atoms != self.rows[at]))
        for i in found:
            if i.last == own.last or i.atoms == own.atoms:
                break
            if before is None or self.questions.leads(self.chain, at - 1, before.atoms, i.atoms):
                return i
        return own

    def _block(self, at: int, way: int) -> int:
        """The last position that can be reached from another without crossing a step that is part of the story in any case."""
        while 0 <= at + way <= len(self.chain) and not self._is_barrier(at if way > 0 else at - 1):
            at += way
        return at

    def _is_barrier(self, step: int) -> bool:
        return self.chain.is_guarded(step)

    def _maximal(self, k: int) -> Interval:
        found = self._known.get(k)
        if found is None:
            atoms = self.rows[k]
            first = self._reach(k, -1, lambda p: self._is_valid(p, atoms))
            last = self._reach(k, 1, lambda p: self._is_valid(p, atoms))
            found = self._known[k] = Interval(atoms, first, last)
        return found

    def _reach(self, k: int, way: int, valid: Callable[[int], bool]) -> int:
        """The farthest position where the invariant of k is one, by bisection."""
        good, bad = k, self._block(k, way) + way
        if abs(bad - good) > 1 and not valid(good + way):
            return good
        while abs(bad - good) > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if valid(middle) else (good, middle)
        return good

    def _is_valid(self, position: int, atoms: Atoms) -> bool:
        if atoms == self.rows[position]:
            return True
        values = self.chain.values[position]
        whole = conjunction(atoms)
        flags = {str(v.data): 1 for v in variables((whole,)) if str(v.data) not in values}
        if not Evaluator({**values, **flags})(whole) or self.questions.is_over:
            return False
        return is_error_invariant(self.chain, position, atoms, self.questions)
