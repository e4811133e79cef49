"""Static segments by number: their instructions, and where each of these logs in the columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from butfor.ir.instructions import Function, Instr
from butfor.ir.program import Program
from butfor.ir.recording_segments import CALL, SETJMP, Layout, Segment, result_words
from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import ColumnCounts


@dataclass(slots=True, eq=False)
class StaticSegment:
    """One segment of a function. `offsets[n]` is what the segment logs before its instruction n."""

    number: int
    local: int
    fn: Function
    layout: Layout
    seg: Segment
    offsets: dict[int, ColumnCounts]

    @property
    def call(self) -> Instr | None:
        """The call that ends the segment, if one does."""
        return self.fn.instrs[self.seg.end - 1] if self.seg.flags & CALL else None

    @property
    def last(self) -> Instr:
        """The last instruction."""
        return self.fn.instrs[self.seg.end - 1]

    @property
    def has_setjmp(self) -> bool:
        """Whether a frame number is logged at the start of the segment, because setjmp may return there."""
        return bool(self.seg.flags & SETJMP)


class StaticTable:
    """Static segments of a program, made on demand."""

    def __init__(self, program: Program, table: NDArray[np.int32]) -> None:
        self.program = program
        self.table = table
        owners = table[:, 6]
        self._first = np.searchsorted(owners, np.arange(len(program.names) + 1)).tolist()
        self._owner = owners
        self._made: dict[int, StaticSegment] = {}
        self._defining: dict[str, list[int]] = {}

    def __getitem__(self, number: int) -> StaticSegment:
        made = self._made.get(number)
        if made is None:
            name = self.program.names[int(self._owner[number])]
            fn, layout = self.program.function(name), self.program.layout(name)
            local = number - self._first[fn.index]
            seg = layout.segments[local]
            made = StaticSegment(number, local, fn, layout, seg, _offsets(fn, layout, seg))
            self._made[number] = made
        return made

    @cached_property
    def function_numbers(self) -> dict[str, int]:
        """The numbers of the functions by name."""
        return {name: number for number, name in enumerate(self.program.names)}

    def first_segment(self, fn: Function) -> int:
        """The number of a function's first segment."""
        return int(self._first[fn.index])

    def first_of_block(self, fn: Function, block: int) -> int:
        """The number of a block's first segment."""
        return self.first_segment(fn) + self.program.layout(fn.name).first_of_block[block]

    def last_of_block(self, fn: Function, block: int) -> int:
        """The number of a block's last segment, which ends with its branch."""
        layout = self.program.layout(fn.name)
        following = layout.first_of_block[block + 1] if block + 1 < len(fn.blocks) else len(layout.segments)
        return self.first_segment(fn) + following - 1

    def defining_segment(self, fn: Function, n: int) -> int:
        """The number of the segment in which the result of instruction n appears: for a call the one after it."""
        defining = self._defining.get(fn.name)
        if defining is None:
            defining = [0] * len(fn.instrs)
            for k, seg in enumerate(self.program.layout(fn.name).segments):
                for i in range(seg.start, seg.end):
                    defining[i] = k
                if seg.flags & CALL:
                    defining[seg.end - 1] = k + 1
            self._defining[fn.name] = defining
        return self.first_segment(fn) + defining[n]


def _offsets(fn: Function, layout: Layout, seg: Segment) -> dict[int, ColumnCounts]:
    loads = stores = size = addresses = 0
    words = 0
    if seg.start > 0:
        before = fn.instrs[seg.start - 1]
        kind = layout.kinds.get(before.index)
        if kind is not None and before.block == seg.block and seg.start > fn.blocks[seg.block].start:
            words = result_words(before, kind)
    out = {}
    for n in range(seg.start, seg.end):
        effects = layout.effects.get(n)
        if effects is None:
            continue
        out[n] = ColumnCounts(loads, stores, size, addresses, words)
        loads += len(effects.loads)
        stores += len(effects.stores)
        size += sum(effects.stores)
        addresses += effects.address
        words += effects.words
    return out


@dataclass(slots=True)
class LogCursor:
    """Where a sequential reader stands in the columns: the numbers of the next load, store, stored byte and address."""

    load: int
    store: int
    byte: int
    address: int

    def is_past_end(self, log: Log, s: StaticSegment, n: int) -> bool:
        """Whether the run ended before instruction n of its last segment."""
        e = s.layout.effects.get(n)
        if e is None:
            return False
        return bool(
            (e.loads and self.load + len(e.loads) > log.end.loads)
            or (e.stores and self.store + len(e.stores) > log.end.stores)
        )
