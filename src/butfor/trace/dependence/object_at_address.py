"""Which abstract object of the static analysis an address of the run was in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from butfor.ir.instructions import Function, Instr
from butfor.ir.machine_types import alloc_size
from butfor.ir.may_define import MayDefine
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.trace.log.record_layout import NO_FRAME, ObjectKind, byval_parameter
from butfor.trace.trace import Trace

_NEAR = 256  # objects below an address that are looked at


@dataclass(frozen=True, slots=True)
class Home:
    """The object that an address was in: its key in the static analysis, its bounds, the segment instance when it began, the frame of a local."""

    key: ObjectKey
    start: int
    end: int
    birth: int = 0
    frame: int | None = None


class Homes:
    """Finds objects by address and time."""

    def __init__(self, trace: Trace, may: MayDefine) -> None:
        self.trace = trace
        self.log = trace.log
        self.may = may
        self._slots: dict[str, list[tuple[int, int, int]]] = {}
        self._known: dict[int, Home | None] = {}

    def at(self, address: int, i: int) -> Home | None:
        """The object that an address was in when segment instance i ran."""
        frame = self.trace.frame_holding(address, i)
        if frame is not None:
            entry, base = int(self.log.frame["entry"][frame]), int(self.log.frame["base"][frame])
            fn = self.trace.at(entry).fn
            for offset, size, slot in self._locals(fn):
                if offset <= address - base < offset + size:
                    return Home(("local", fn.name, slot), base + offset, base + offset + size, entry, frame)
        number = self._object_at(address, i)
        if number is None:
            return None
        if number not in self._known:
            self._known[number] = self._home_of(number)
        return self._known[number]

    def _locals(self, fn: Function) -> list[tuple[int, int, int]]:
        found = self._slots.get(fn.name)
        if found is None:
            frame = self.trace.program.layout(fn.name).frame
            found = sorted(
                (offset, alloc_size(fn.instrs[fn.definer[slot]].detail[0]), slot) for slot, offset in frame.items()
            )
            self._slots[fn.name] = found
        return found

    @cached_property
    def _order(self) -> tuple[list[int], list[int], list[list[int]], list[list[int]]]:
        """The addresses at which objects began, ascending; how far those up to there reached; numbers and births of the objects at each."""
        o = self.log.object
        rows: dict[int, list[int]] = {}
        for number in np.flatnonzero(o["size"]).tolist():
            rows.setdefault(int(o["start"][number]), []).append(number)
        starts = sorted(rows)
        numbers = [rows[s] for s in starts]
        ends = [s + max(int(o["size"][n]) for n in row) for s, row in zip(starts, numbers, strict=True)]
        return starts, list(accumulate(ends, max)), numbers, [o["birth"][row].tolist() for row in numbers]

    def _object_at(self, address: int, i: int) -> int | None:
        """The number of the object that an address was in: the latest one made by then, unless it went away with its frame."""
        starts, reach, numbers, births = self._order
        found = []
        k = bisect_right(starts, address) - 1
        last = max(k - _NEAR, -1)
        while k > last and reach[k] > address:
            j = bisect_right(births[k], i) - 1
            if j >= 0 and address < starts[k] + int(self.log.object["size"][numbers[k][j]]):
                found.append(numbers[k][j])
            k -= 1
        return next((n for n in sorted(found, reverse=True) if self._is_there(n, i)), None)

    def _is_there(self, number: int, i: int) -> bool:
        o = self.log.object[number]
        if int(o["kind"]) not in (ObjectKind.STACK, ObjectKind.DYNAMIC):
            return True
        frame, home = self.log.frame_of(i), int(o["frame"])
        while frame != NO_FRAME and frame > home:
            frame = int(self.log.frame["parent"][frame])
        return frame == home

    def _home_of(self, number: int) -> Home | None:
        o = self.log.object[number]
        kind, site, start, birth, frame = (
            int(o["kind"]),
            int(o["site"]),
            int(o["start"]),
            int(o["birth"]),
            int(o["frame"]),
        )
        end = start + int(o["size"])
        if kind == ObjectKind.GLOBAL:
            return Home(self.may.global_key(self.trace.program.global_table[site][0]), start, end)
        if kind == ObjectKind.HEAP:
            return Home(self.may.block_key(self._calls_to(birth)), start, end, birth)
        if frame == NO_FRAME:
            return None
        name = self.trace.at(int(self.log.frame["entry"][frame])).fn.name
        parameter = byval_parameter(site)
        key: ObjectKey = ("local", name, site) if parameter is None else ("byval", name, parameter)
        return Home(key, start, end, birth, frame)

    def _calls_to(self, i: int) -> Iterator[tuple[str, Instr]]:
        """The calls under way in a segment instance, innermost first."""
        s = self.trace.at(i)
        if s.call is not None:
            yield s.fn.name, s.call
        call = self.trace.call_of(i)
        while call is not None:
            yield self.trace.at(call[0]).fn.name, self.trace.instr(call)
            call = self.trace.call_of(call[0])
