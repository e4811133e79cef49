"""Accesses at a range of offsets: which cells they may touch, and what is read and written there."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.ir.intervals.abstract_state import Place, Rest
from butfor.ir.intervals.abstract_values import SummaryValue, joined
from butfor.ir.intervals.linear_terms import Linear, Range, coefficient_gcd

MAX_PLACES_PER_ACCESS = 64  # compared with the cells one by one; a wider access counts as not covered by them


class RangeAccess:
    """An access of `size` bytes at a term `offset`, whose range is `at`."""

    def __init__(self, offset: Linear, size: int, at: Range) -> None:
        self.start, self.size = offset.const, size
        self.low, self.high = at
        self.stride = coefficient_gcd(offset.terms)  # 0: a single place
        self.is_aligned = size > 0 and offset.const % size == 0 and self.stride % size == 0

    def may_touch(self, place: Place) -> bool:
        """Whether the access may overlap the cell."""
        o, k = place
        if o >= self.high + self.size or o + k <= self.low:
            return False
        if not self.stride:
            return True
        residue = (o - self.start) % self.stride
        return residue < self.size or self.stride - residue < k

    def is_exactly(self, place: Place) -> bool:
        """Whether the access covers exactly the cell whenever it overlaps it."""
        o, k = place
        if k != self.size:
            return False
        return (o - self.start) % self.stride == 0 and self.stride >= k if self.stride else o == self.start

    def cell_after(self, place: Place, old: SummaryValue, new: SummaryValue) -> SummaryValue:
        """The weak update of a cell: what it may hold after the write."""
        if not self.may_touch(place):
            return old
        return joined(old, new) if self.is_exactly(place) else None

    def rest_after(self, rest: Rest | None, new: SummaryValue, cells: Iterable[Place]) -> Rest | None:
        """The weak update of the elements outside the cells."""
        if rest is None or (not self.stride and (self.start, self.size) in cells):
            return rest
        if not self.is_aligned or (rest.size and rest.size != self.size):
            return None
        value = joined(rest.value, new)
        return None if value is None else Rest(self.size, value)

    def read(self, cells: dict[Place, SummaryValue], rest: Rest | None) -> SummaryValue:
        """The values a read may yield; `cells` are those that it may touch."""
        if any(not self.is_exactly(place) for place in cells):
            return None
        values = list(cells.values())
        if not self._is_covered(cells):
            if rest is None or (rest.size and (rest.size != self.size or not self.is_aligned)):
                return None
            values.append(rest.value)
        found = values[0]
        for value in values[1:]:
            found = joined(found, value)
        return found

    def _is_covered(self, cells: dict[Place, SummaryValue]) -> bool:
        """Whether every place of the access is one of the cells."""
        if not self.stride:
            return bool(cells)
        count = (self.high - self.low) // self.stride + 1
        first = self.low + (self.start - self.low) % self.stride
        places = range(first, self.high + 1, self.stride) if count <= MAX_PLACES_PER_ACCESS else ()
        return bool(places) and all((o, self.size) in cells for o in places)
