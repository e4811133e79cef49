"""Static segments by number: which instructions they hold and where those stand in the log's columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.ir.instructions import Function, Instr
from butfor.ir.program import Program
from butfor.ir.recording_segments import CALL, SETJMP, Layout, Segment, result_words


@dataclass(slots=True, eq=False)
class StaticSegment:
    """One segment of a function. `offsets[n]`: loads, stores, bytes, addresses, words logged in the segment before instruction n."""

    number: int
    local: int
    fn: Function
    layout: Layout
    seg: Segment
    offsets: dict[int, tuple[int, int, int, int, int]]

    @property
    def call(self) -> Instr | None:
        """The call that ends the segment, if one does."""
        return self.fn.instrs[self.seg.end - 1] if self.seg.flags & CALL else None

    @property
    def last(self) -> Instr:
        """The last instruction."""
        return self.fn.instrs[self.seg.end - 1]


class StaticTable:
    """Static segments of a program, made when asked for."""

    def __init__(self, program: Program, table: NDArray[np.int32]) -> None:
        self.program = program
        self.table = table
        owners = table[:, 6]
        self._first = np.searchsorted(owners, np.arange(len(program.names) + 1)).tolist()
        self._owner = owners
        self._made: dict[int, StaticSegment] = {}
        self._homes: dict[str, list[int]] = {}

    def first(self, fn: Function) -> int:
        """The number of a function's first segment."""
        return int(self._first[fn.index])

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

    def home(self, fn: Function, n: int) -> int:
        """The local number of the segment in which instruction n's result comes to be: for calls the one after the call."""
        homes = self._homes.get(fn.name)
        if homes is None:
            homes = [0] * len(fn.instrs)
            layout = self.program.layout(fn.name)
            for k, seg in enumerate(layout.segments):
                for i in range(seg.start, seg.end):
                    homes[i] = k
                if seg.flags & CALL:
                    homes[seg.end - 1] = k + 1
            self._homes[fn.name] = homes
        return homes[n]

    def closing(self, fn: Function, block: int) -> int:
        """The number of the segment that ends a block."""
        layout = self.program.layout(fn.name)
        following = layout.first_of_block[block + 1] if block + 1 < len(fn.blocks) else len(layout.segments)
        return self.first(fn) + following - 1


def _offsets(fn: Function, layout: Layout, seg: Segment) -> dict[int, tuple[int, int, int, int, int]]:
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
        out[n] = (loads, stores, size, addresses, words)
        loads += len(effects.loads)
        stores += len(effects.stores)
        size += sum(effects.stores)
        addresses += effects.address
        words += effects.words
    return out


def has_setjmp(seg: Segment) -> bool:
    """Whether a frame number is logged at the start of the segment."""
    return bool(seg.flags & SETJMP)
