"""What the last look at each instruction found, over all contexts."""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.ir.intervals.abstract_values import hull
from butfor.ir.intervals.linear_terms import Range

Spot = tuple[str, int]  # function and instruction


@dataclass(slots=True)
class Records:
    """`checks`: whether a check holds. `values`: integers that instructions compute or store, offsets of pointers. `sizes`: of the objects accessed.

    `cells`: by function and block the plain variables at its start. `blocks`: those that are reached.
    """

    checks: dict[tuple[str, int, str], bool] = field(default_factory=dict)
    values: dict[Spot, Range] = field(default_factory=dict)
    sizes: dict[Spot, Range] = field(default_factory=dict)
    cells: dict[Spot, dict[int, Range]] = field(default_factory=dict)
    blocks: set[Spot] = field(default_factory=set)

    def check(self, function: str, instr: int, kind: str, holds: bool) -> None:
        """Notes a check of one visit."""
        key = (function, instr, kind)
        self.checks[key] = self.checks.get(key, True) and holds

    def value(self, function: str, instr: int, found: Range) -> None:
        """Notes a value of one visit."""
        key = (function, instr)
        old = self.values.get(key)
        self.values[key] = found if old is None else hull(old, found)

    def size(self, function: str, instr: int, found: Range) -> None:
        """Notes the size of an object that is accessed."""
        key = (function, instr)
        old = self.sizes.get(key)
        self.sizes[key] = found if old is None else hull(old, found)

    def block(self, function: str, block: int, cells: dict[int, Range]) -> None:
        """Notes the plain variables at the start of a block; those of which nothing is known are left out."""
        self.blocks.add((function, block))
        old = self.cells.get((function, block))
        if old is None:
            self.cells[function, block] = cells
        else:
            self.cells[function, block] = {s: hull(r, cells[s]) for s, r in old.items() if s in cells}

    def add(self, other: Records) -> None:
        """Takes over what another one notes."""
        for (function, instr, kind), holds in other.checks.items():
            self.check(function, instr, kind, holds)
        for (function, instr), found in other.values.items():
            self.value(function, instr, found)
        for (function, instr), found in other.sizes.items():
            self.size(function, instr, found)
        for (function, block), cells in other.cells.items():
            self.block(function, block, cells)
