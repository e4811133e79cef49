"""What the forward analysis found for each instruction and block, joined over all call contexts."""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.ir.intervals.abstract_values import hull
from butfor.ir.intervals.linear_terms import Range

ProgramPoint = tuple[str, int]  # a function, and the index of an instruction or block in it


@dataclass(slots=True)
class AnalysisRecords:
    """The results of the last iteration of every loop.

    `checks`: whether a check holds. `values`: the integers that instructions compute or store, the offsets of pointers.
    `sizes`: of the objects accessed. `cells`: the ranges of plain variables at the start of each block, by slot.
    `blocks`: those that are reachable.
    """

    checks: dict[tuple[str, int, str], bool] = field(default_factory=dict)
    values: dict[ProgramPoint, Range] = field(default_factory=dict)
    sizes: dict[ProgramPoint, Range] = field(default_factory=dict)
    cells: dict[ProgramPoint, dict[int, Range]] = field(default_factory=dict)
    blocks: set[ProgramPoint] = field(default_factory=set)

    def note_check(self, function: str, instr: int, kind: str, holds: bool) -> None:
        """Add the outcome of a check in one visit."""
        key = (function, instr, kind)
        self.checks[key] = self.checks.get(key, True) and holds

    def note_value(self, function: str, instr: int, found: Range) -> None:
        """Add the range of a value in one visit."""
        key = (function, instr)
        old = self.values.get(key)
        self.values[key] = found if old is None else hull(old, found)

    def note_size(self, function: str, instr: int, found: Range) -> None:
        """Add the size of an accessed object in one visit."""
        key = (function, instr)
        old = self.sizes.get(key)
        self.sizes[key] = found if old is None else hull(old, found)

    def note_block(self, function: str, block: int, cells: dict[int, Range]) -> None:
        """Add the ranges of plain variables at the start of a block in one visit; a missing one is unknown."""
        self.blocks.add((function, block))
        old = self.cells.get((function, block))
        if old is None:
            self.cells[function, block] = cells
        else:
            self.cells[function, block] = {s: hull(r, cells[s]) for s, r in old.items() if s in cells}

    def merge(self, other: AnalysisRecords) -> None:
        """Join the records with others."""
        for (function, instr, kind), holds in other.checks.items():
            self.note_check(function, instr, kind, holds)
        for (function, instr), found in other.values.items():
            self.note_value(function, instr, found)
        for (function, instr), found in other.sizes.items():
            self.note_size(function, instr, found)
        for (function, block), cells in other.cells.items():
            self.note_block(function, block, cells)
