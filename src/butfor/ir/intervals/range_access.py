"""An access somewhere in a range of offsets of an object: which cells it may touch, and what they hold then."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.ir.intervals.abstract_state import Place, Rest
from butfor.ir.intervals.abstract_values import General, joined
from butfor.ir.intervals.linear_terms import Linear, Range, content

_MOST_PLACES = 64


class Spread:
    """An access of some bytes at `offset`, which is in the range `at`."""

    def __init__(self, offset: Linear, size: int, at: Range) -> None:
        self.start, self.size = offset.const, size
        self.low, self.high = at
        self.stride = content(offset.terms)  # 0: one place only
        self.is_aligned = size > 0 and offset.const % size == 0 and self.stride % size == 0

    def touches(self, place: Place) -> bool:
        """Whether the access may be to bytes of the cell."""
        o, k = place
        if o >= self.high + self.size or o + k <= self.low:
            return False
        if not self.stride:
            return True
        residue = (o - self.start) % self.stride
        return residue < self.size or self.stride - residue < k

    def is_exact(self, place: Place) -> bool:
        """Whether the access is to the whole cell and nothing else if it touches the cell."""
        o, k = place
        if k != self.size:
            return False
        return (o - self.start) % self.stride == 0 and self.stride >= k if self.stride else o == self.start

    def after(self, place: Place, old: General, new: General) -> General:
        """What a cell may hold after the value may have been written."""
        if not self.touches(place):
            return old
        return joined(old, new) if self.is_exact(place) else None

    def rest(self, rest: Rest | None, new: General, cells: Iterable[Place]) -> Rest | None:
        """What all other elements may hold after the value may have been written."""
        if rest is None or (not self.stride and (self.start, self.size) in cells):
            return rest
        if not self.is_aligned or (rest.size and rest.size != self.size):
            return None
        value = joined(rest.value, new)
        return None if value is None else Rest(self.size, value)

    def read(self, cells: dict[Place, General], rest: Rest | None) -> General:
        """What a read may get; `cells` are those that it touches."""
        if any(not self.is_exact(place) for place in cells):
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

    def _is_covered(self, cells: dict[Place, General]) -> bool:
        """Whether each place of the access is one of the cells."""
        if not self.stride:
            return bool(cells)
        count = (self.high - self.low) // self.stride + 1
        first = self.low + (self.start - self.low) % self.stride
        places = range(first, self.high + 1, self.stride) if count <= _MOST_PLACES else ()
        return bool(places) and all((o, self.size) in cells for o in places)
