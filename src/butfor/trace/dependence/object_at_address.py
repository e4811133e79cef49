"""The object at an address of the run, with its key in the points-to analysis."""

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
from butfor.trace.log.record_layout import BORN_BEFORE, NO_FRAME, ObjectKind, byval_parameter
from butfor.trace.trace import Trace

_MAX_STARTS_SEARCHED = 256  # below an address; nested objects that begin at more places are not met


@dataclass(frozen=True, slots=True)
class ConcreteObject:
    """An object of the run that an abstract object of the points-to analysis stands for."""

    key: ObjectKey  # of the abstract object
    start: int
    end: int
    birth: int = 0  # the segment instance that made it
    frame: int | None = None  # of a local variable


class ConcreteObjects:
    """The objects of a run by address and time."""

    def __init__(self, trace: Trace, may_define: MayDefine) -> None:
        self.trace = trace
        self.log = trace.log
        self.may_define = may_define
        self._slots: dict[str, list[tuple[int, int, int]]] = {}
        self._known: dict[int, ConcreteObject | None] = {}

    def at(self, address: int, i: int) -> ConcreteObject | None:
        """The object that an address was in when segment instance i ran."""
        frame = self.trace.frame_holding(address, i)
        if frame is not None:
            entry, base = int(self.log.frame["entry"][frame]), int(self.log.frame["base"][frame])
            fn = self.trace.at(entry).fn
            for offset, size, slot in self._locals(fn):
                if offset <= address - base < offset + size:
                    return ConcreteObject(("local", fn.name, slot), base + offset, base + offset + size, entry, frame)
        number = self._object_at(address, i)
        if number is None:
            return None
        if number not in self._known:
            self._known[number] = self._concrete(number)
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
        """Starts of objects, ascending; how far those up to there reach; numbers and births of those at each start."""
        o = self.log.object
        rows: dict[int, list[int]] = {}
        for number in np.flatnonzero(o["size"]).tolist():
            rows.setdefault(int(o["start"][number]), []).append(number)
        starts = sorted(rows)
        numbers = [rows[s] for s in starts]
        ends = [s + max(int(o["size"][n]) for n in row) for s, row in zip(starts, numbers, strict=True)]
        return starts, list(accumulate(ends, max)), numbers, [o["birth"][row].tolist() for row in numbers]

    def _object_at(self, address: int, i: int) -> int | None:
        """The number of the object at an address: the latest one made by then, unless its frame had ended."""
        starts, reach, numbers, births = self._order
        found = []
        k = bisect_right(starts, address) - 1
        last = max(k - _MAX_STARTS_SEARCHED, -1)
        while k > last and reach[k] > address:
            j = bisect_right(births[k], i) - 1
            if j >= 0 and address < starts[k] + int(self.log.object["size"][numbers[k][j]]):
                found.append(numbers[k][j])
            k -= 1
        return next((n for n in sorted(found, reverse=True) if self._is_alive(n, i)), None)

    def _is_alive(self, number: int, i: int) -> bool:
        o = self.log.object[number]
        if int(o["kind"]) not in (ObjectKind.STACK, ObjectKind.DYNAMIC):
            return True
        frame, owner = self.log.frame_of(i), int(o["frame"])
        while frame != NO_FRAME and frame > owner:
            frame = int(self.log.frame["parent"][frame])
        return frame == owner

    def _concrete(self, number: int) -> ConcreteObject | None:
        o = self.log.object[number]
        kind, site, start, birth, frame = (int(o[name]) for name in ("kind", "site", "start", "birth", "frame"))
        end = start + int(o["size"])
        if kind == ObjectKind.GLOBAL:
            return ConcreteObject(self.may_define.global_key(self.trace.program.global_table[site][0]), start, end)
        if kind == ObjectKind.HEAP and int(o["flags"]) & BORN_BEFORE:
            return None  # where it was made is not known
        if kind == ObjectKind.HEAP:
            return ConcreteObject(self.may_define.block_key(self._calls_under_way(birth)), start, end, birth)
        if frame == NO_FRAME:
            return None
        name = self.trace.at(int(self.log.frame["entry"][frame])).fn.name
        parameter = byval_parameter(site)
        key: ObjectKey = ("local", name, site) if parameter is None else ("byval", name, parameter)
        return ConcreteObject(key, start, end, birth, frame)

    def _calls_under_way(self, i: int) -> Iterator[tuple[str, Instr]]:
        """The calls under way in a segment instance, innermost first."""
        s = self.trace.at(i)
        if s.call is not None:
            yield s.fn.name, s.call
        call = self.trace.call_of(i)
        while call is not None:
            yield self.trace.at(call[0]).fn.name, self.trace.instr(call)
            call = self.trace.call_of(call[0])
