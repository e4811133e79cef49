"""Objects of the run by address: variables and heap blocks with their names and bounds."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from butfor.ir.debug_types import CType, Variable
from butfor.ir.instructions import Function
from butfor.trace.log.record_layout import BORN_BEFORE, NO_FRAME, EventKind, ObjectKind, byval_parameter
from butfor.trace.recording import Recording
from butfor.trace.view.global_variables import GlobalVariables
from butfor.trace.view.heap_blocks import HeapBlock, HeapBlocks
from butfor.trace.view.named_stores import NamedStores
from butfor.trace.view.object_parts import member_path, smallest_part
from butfor.trace.view.string_literals import string_literal, wide_literal
from butfor.trace.view.texts_in_memory import TextsInMemory

_MAX_OBJECTS_SEARCHED = 4096  # that start below an address; more are freed blocks of a long run
_MAX_OBJECT_BYTES = 1 << 30  # an object that starts farther below an address is taken not to reach it
_MAX_FRAMES_SEARCHED = 4096  # for the owner of a stack address, innermost first: a deep recursion has more
_CHARACTERS = ("char", "uchar")
_WRITING = (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT)


@dataclass(frozen=True, slots=True)
class RunObject:
    """A piece of memory that a pointer may point into. `variable` is None for heap blocks and temporaries."""

    number: int
    kind: int
    start: int
    size: int
    birth: int
    name: str
    variable: Variable | None = None
    block: HeapBlock | None = None

    @property
    def type(self) -> CType | None:
        """The type of the variable, or of one element of the heap block; None where nothing tells."""
        if self.variable is not None:
            return self.variable.type
        return self.block.type if self.block is not None else None

    def offset_in_element(self, address: int) -> int:
        """How far into an element of a heap block, or into the variable, an address is."""
        t = self.type
        offset = address - self.start
        return offset % t.size if self.variable is None and t is not None and t.size else offset

    def describe(self) -> str:
        """The object as messages name it."""
        if self.kind == ObjectKind.HEAP:
            return self.block.describe() if self.block is not None else f"a block of {self.size} bytes"
        if self.kind == ObjectKind.GLOBAL and self.variable is None:
            return self.name
        return f"`{self.name}`" if self.name else "a temporary"


class RunObjects:
    """Objects found by number or by address."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.log = recording.log
        self.program = recording.program
        self.source = recording.source
        self.blocks = HeapBlocks(recording)
        self.globals = GlobalVariables(recording.log, recording.program)
        self.texts = TextsInMemory(recording, NamedStores(recording.trace, self.globals))

    def by_number(self, number: int) -> RunObject:
        """The object with that number."""
        o = self.log.object[number]
        kind, site = int(o["kind"]), int(o["site"])
        name, variable = "", None
        if kind == ObjectKind.GLOBAL:
            full = self.program.global_table[site][0]
            variable = self.source.global_declaration(full)
            name = variable.name if variable else "a string literal" if full.startswith(".str") else full
        elif kind in (ObjectKind.STACK, ObjectKind.DYNAMIC) and int(o["frame"]) != NO_FRAME:
            variable = self._local(int(o["frame"]), site)
            name = variable.name if variable else ""
        birth = -1 if int(o["flags"]) & BORN_BEFORE else int(o["birth"])
        block = self.blocks.of(number) if kind == ObjectKind.HEAP else None
        return RunObject(number, kind, int(o["start"]), int(o["size"]), birth, name, variable, block)

    def _local(self, frame: int, slot: int) -> Variable | None:
        trace = self.recording.trace
        fn = trace.at(int(self.log.frame["entry"][frame])).fn
        parameter = byval_parameter(slot)
        return self.source.variables(fn).get(slot if parameter is None else parameter)

    @cached_property
    def _order(self) -> tuple[list[int], list[int]]:
        starts = self.log.object["start"].astype(np.int64)
        order = np.argsort(starts, kind="stable")
        return starts[order].tolist(), order.tolist()

    def at(self, address: int, i: int) -> RunObject | None:
        """The object that contained an address when segment instance i ran."""
        starts, order = self._order
        k = bisect_right(starts, address) - 1
        best = -1
        for _ in range(_MAX_OBJECTS_SEARCHED):
            if k < 0 or address - starts[k] > _MAX_OBJECT_BYTES:
                break
            o = self.log.object[order[k]]
            if address < starts[k] + int(o["size"]) and int(o["birth"]) <= i and order[k] > best and int(o["size"]):
                best = order[k]
            if best >= 0 and starts[k] < int(self.log.object[best]["start"]):
                break
            k -= 1
        if best < 0:
            return self._local_at(address, i)
        return self.by_number(best)

    def in_use_at(self, address: int, i: int) -> RunObject | None:
        """The object that contained an address, not the variable of a call that had returned, if that can be told."""
        o = self.at(address, i)
        if o is None or o.kind != ObjectKind.STACK or not o.number:
            return o
        if int(self.log.object[o.number]["frame"]) in self._active_frames(i):
            return o
        return self._local_at(address, i) or o

    def _active_frames(self, i: int) -> list[int]:
        """The frames that were active when segment instance i ran, innermost first."""
        active: list[int] = []
        frame = self.log.frame_of(i)
        while frame != NO_FRAME and len(active) < _MAX_FRAMES_SEARCHED:
            active.append(frame)
            frame = int(self.log.frame["parent"][frame])
        return active

    def is_live(self, address: int, i: int) -> bool:
        """Whether an address was in a heap block or in a variable of an active frame when segment instance i ran."""
        log, trace = self.log, self.recording.trace
        active = self._active_frames(i)
        for frame in active:
            base = int(log.frame["base"][frame])
            if base <= address < base + trace.at(int(log.frame["entry"][frame])).layout.frame_size:
                return True
        o = self.at(address, i)
        if o is None or o.number == 0:
            return False
        return o.kind == ObjectKind.HEAP or (
            o.kind in (ObjectKind.STACK, ObjectKind.DYNAMIC) and int(log.object[o.number]["frame"]) in active
        )

    def _local_at(self, address: int, i: int) -> RunObject | None:
        """The local variable at an address that has no object record because its address is never taken."""
        trace = self.recording.trace
        frame = trace.frame_holding(address, i)
        if frame is None:
            return None
        fn = trace.at(int(self.log.frame["entry"][frame])).fn
        return self._variable_at(fn, int(self.log.frame["base"][frame]), address)

    def _variable_at(self, fn: Function, base: int, address: int) -> RunObject | None:
        for slot, variable in self.source.variables(fn).items():
            offset = self.program.layout(fn.name).frame.get(slot)
            if offset is not None and 0 <= address - base - offset < max(variable.type.size, 1):
                return RunObject(0, ObjectKind.STACK, base + offset, variable.type.size, 0, variable.name, variable)
        return None

    def value_of_pointer(self, address: int, i: int, ctype: CType | None) -> str:
        """A pointer of a type as people want to see it: the text that it points to, where that is known."""
        o = self.at(address, i) if address else None
        data = (
            self.texts.at(address, i, o.start + o.size) if o is not None and _may_be_text(o, address, ctype) else None
        )
        return self.pointer_text(address, i) if data is None else string_literal(data)

    def pointer_text(self, address: int, i: int) -> str:
        """A pointer as C text: object and offset."""
        if address == 0:
            return "NULL"
        fn = self.recording.trace.function_at(address)
        if fn is not None:
            return fn
        o = self.at(address, i)
        if o is None:
            return self._argument(address, i) or f"{address:#x}"
        offset = address - o.start
        if o.variable is not None:
            return "&" + o.name + member_path(o.variable.type, offset)
        if o.kind == ObjectKind.GLOBAL:
            return self._literal(o, offset)
        name = o.block.value_text() if o.block is not None else "a temporary"
        return f"&({name})" + (f" + {offset}" if offset else "")

    def _argument(self, address: int, i: int) -> str | None:
        """What a pointer into a command-line argument points to: the rest of its text, if nothing changed it so far."""
        for k, (start, length) in enumerate(self.recording.arguments):
            if start <= address < start + length:
                meta = self.recording.meta
                text = meta.args[k - 1] if k else meta.invoked_as
                data = text.encode("utf-8", "surrogateescape")
                if len(data) + 1 == length and not self._was_written(start, length, i):
                    return string_literal(data[address - start :])
                return f"&argv[{k}][{address - start}]"
        return None

    def _was_written(self, start: int, size: int, i: int) -> bool:
        """Whether the program stored something in these bytes up to segment instance i."""
        upto = self.log.counts_before(i).addresses + self.recording.trace.at(i).seg.addresses
        stores, events = self.log.address[:upto], self.log.event[self.log.event["seg"] <= i]
        if bool(((stores >= start) & (stores < start + size)).any()):
            return True
        is_write = np.isin(events["kind"], _WRITING) if len(events) else np.zeros(0, bool)
        return bool((is_write & (events["addr"] < start + size) & (events["addr"] + events["len"] > start)).any())

    def _literal(self, o: RunObject, offset: int) -> str:
        full = self.program.global_table[int(self.log.object[o.number]["site"])][0]
        init = self.source.global_variables()[full].init
        if init is not None and init.kind == "bytes":
            return string_literal(init.value[offset:])
        wide = wide_literal(init, offset) if init is not None else None
        return wide or f"&{full}" + (f" + {offset}" if offset else "")


def _may_be_text(o: RunObject, address: int, ctype: CType | None) -> bool:
    """Whether a pointer into an object points to characters, by its own type or else by that of what is there."""
    if ctype is not None:
        return ctype.pointee is not None and ctype.pointee.kind in _CHARACTERS
    if o.variable is not None:
        path, t, _ = smallest_part(o.variable.type, address - o.start, 1)
        return path.endswith("]") and t.kind in _CHARACTERS
    return o.block is not None and o.block.type is not None and o.block.type.kind in _CHARACTERS
