"""Memory as cells: byte ranges of objects, cut so that each access covers whole cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise

from butfor.path.path_model import Cell, CellBytes, ObjectLife
from butfor.trace.dependence.object_at_address import ConcreteObjects

Key = tuple[object, ...]


NameCell = Callable[[ObjectLife, int, int, int], Cell]  # home, address, size, number


class MemoryCells:
    """Collects accesses, then divides memory into the cells that they touch."""

    def __init__(self, homes: ConcreteObjects, name: NameCell) -> None:
        self._homes = homes
        self._name = name
        self._known: dict[tuple[int, int], ObjectLife] = {}
        self._accesses: dict[Key, set[tuple[int, int]]] = {}
        self._home_of: dict[Key, ObjectLife] = {}
        self._ranges: dict[Key, tuple[list[int], list[CellBytes]]] = {}
        self._count = 0

    def home(self, address: int, i: int) -> ObjectLife:
        """The object at an address when segment instance i ran; one stands for all addresses outside of objects."""
        known = self._known.get((address, i))
        if known is None:
            found = self._homes.at(address, i)
            known = (
                ObjectLife(("nowhere",), 0, 0)
                if found is None
                else ObjectLife(found.key, found.start, found.birth, found.end, found.frame)
            )
            self._known[address, i] = known
        return known

    def add(self, address: int, size: int, i: int) -> None:
        """Note an access of segment instance i."""
        home = self.home(address, i)
        self._home_of.setdefault(home.life, home)
        self._accesses.setdefault(home.life, set()).add((address, size))

    def touched(self, address: int, size: int, i: int) -> list[tuple[int, int]]:
        """The accesses noted so far that share bytes with these, cut to them."""
        known = self._accesses.get(self.home(address, i).life, ())
        return [
            (max(a, address), min(a + n, address + size)) for a, n in known if a < address + size and address < a + n
        ]

    def at(self, address: int, size: int, i: int) -> list[CellBytes]:
        """The cells that have some of the bytes, lowest first."""
        life = self.home(address, i).life
        if life not in self._ranges:
            self._ranges[life] = self._cut(life)
        starts, ranges = self._ranges[life]
        k = max(bisect_right(starts, address) - 1, 0)
        found = []
        while k < len(ranges) and ranges[k].start < address + size:
            if ranges[k].end > address:
                found.append(ranges[k])
            k += 1
        return found

    def ranges(self) -> Iterator[CellBytes]:
        """The cells made so far."""
        for _, ranges in self._ranges.values():
            yield from ranges

    def _cut(self, life: Key) -> tuple[list[int], list[CellBytes]]:
        accesses = sorted(self._accesses.get(life, ()))
        cuts = sorted({c for a, n in accesses for c in (a, a + n)})
        covered: list[tuple[int, int]] = []
        for a, n in accesses:
            if covered and a <= covered[-1][1]:
                covered[-1] = covered[-1][0], max(covered[-1][1], a + n)
            else:
                covered.append((a, a + n))
        ranges = []
        home = self._home_of.get(life)
        for low, high in covered:
            inner = cuts[bisect_right(cuts, low) - 1 : bisect_right(cuts, high)]
            for start, end in pairwise(inner):
                assert home is not None
                self._count += 1
                ranges.append(CellBytes(self._name(home, start, end - start, self._count), home, start, end - start))
        return [r.start for r in ranges], ranges
