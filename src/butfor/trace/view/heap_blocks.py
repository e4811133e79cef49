"""Heap blocks in source terms: what they were made for, by which statement, and which of several they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from butfor.ir.debug_types import CType, Location
from butfor.ir.instructions import Function, Instr
from butfor.trace.log.record_layout import NO_FRAME, ObjectKind
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.declared_types import DeclaredTypes

_MAX_WRAPPERS = 6  # functions around malloc that only pass its result on; real programs have one or two
_MAX_BLOCKS_NUMBERED = 2_000  # blocks made through wrappers; numbering more by their callers takes seconds
_UNTYPED = ("void", "function")


@dataclass(frozen=True, slots=True)
class HeapBlock:
    """A heap block: the call that made it, in the function that knew what for, and what its type is."""

    made_by: Node  # the call of malloc, or of the outermost function that only passed the block on
    where: Location | None
    type: CType | None  # of one element
    size: int
    rank: int = 0  # among the blocks that the same statement made, from 1; 0 where it made only this one

    @property
    def type_text(self) -> str:
        """What it holds, as C writes it: `struct node`, `int[10]`; "" where nothing tells."""
        t = self.type
        if t is None or not t.size or not t.text:
            return ""
        if t.size == self.size and t.kind not in ("char", "uchar"):
            return t.text
        return f"{t.text}[{self.size // t.size}]" if self.size % t.size == 0 and self.size else ""

    @property
    def kind_text(self) -> str:
        """What it is: its type in backticks, else its size, with the type that does not fit into it."""
        if self.type_text:
            return f"`{self.type_text}`"
        t = self.type
        whole = f" for a `{t.text}` of {t.size}" if t is not None and t.text and t.size > self.size else ""
        return f"block of {self.size} byte{'' if self.size == 1 else 's'}{whole}"

    @property
    def site_text(self) -> str:
        """File and line of the statement that made it, without the folder; "" where that has no source."""
        return f"{self.where.file.rpartition('/')[2]}:{self.where.line}" if self.where is not None else ""

    def describe(self) -> str:
        """The block as messages name it: the 2nd `struct node` made at queue.c:20."""
        article = f"the {ordinal(self.rank)}" if self.rank else "an" if self.kind_text[1:2] in "aeiou" else "a"
        return f"{article} {self.kind_text}" + (f" made at {self.site_text}" if self.site_text else "")

    def value_text(self) -> str:
        """The block as the target of a pointer: 2nd struct node of line 20."""
        what = self.type_text or f"block of {self.size} bytes"
        at = f" of line {self.where.line}" if self.where is not None else ""
        return (f"{ordinal(self.rank)} " if self.rank else "") + what + at


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th and so on."""
    suffix = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


class HeapBlocks:
    """The heap blocks of a run by the number of their object."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.log = recording.log
        self.types = DeclaredTypes(recording.program)
        self._known: dict[int, HeapBlock] = {}
        self._makers: dict[int, Node | None] = {}

    @property
    def trace(self) -> Trace:
        """The run."""
        return self.recording.trace

    def of(self, number: int) -> HeapBlock | None:
        """The heap block that is this object, None where no call of the program made it, and for object 0."""
        if not number:
            return None
        known = self._known.get(number)
        if known is None:
            made_by = self._made_by(number)
            if made_by is None:
                return None
            where = self.recording.source.location(self.trace.instr(made_by))
            size = int(self.log.object[number]["size"])
            known = HeapBlock(made_by, where, self._stored_type(made_by), size, self._rank(number, made_by))
            self._known[number] = known
        return known

    def made_in(self, i: int) -> int:
        """The number of the heap block that a segment instance made, 0 for none."""
        births = self.log.object["birth"][self._numbers]
        found = np.flatnonzero(births == i)
        return int(self._numbers[found[0]]) if len(found) else 0

    def _made_by(self, number: int) -> Node | None:
        """The call that made a block: the outermost one that only passes it on to a place with a type."""
        if number not in self._makers:
            self._makers[number] = self._find_maker(number)
        return self._makers[number]

    def _find_maker(self, number: int) -> Node | None:
        i, start = int(self.log.object[number]["birth"]), int(self.log.object[number]["start"])
        call = self.trace.at(i).call
        if call is None:
            return None
        at: Node = (i, call.index)
        for _ in range(_MAX_WRAPPERS):
            outer = self._passed_on_to(at, start) if self._stored_type(at) is None else None
            if outer is None:
                break
            at = outer
        return at

    def _passed_on_to(self, call: Node, address: int) -> Node | None:
        """The call of the function around this one, if that function returned the same address."""
        frame = self.log.frame_of(call[0])
        if int(self.log.frame["parent"][frame]) == NO_FRAME:
            return None
        caller = int(self.log.frame["caller"][frame])
        outer = self.trace.at(caller).call
        after = self.trace.next_in_frame(caller)
        ret = self.trace.return_instance(after) if after > 0 else None
        if outer is None or ret is None or not self.trace.instr(ret).args:
            return None
        try:
            returned = self.trace.operand(ret[0], self.trace.instr(ret).args[0])
        except UnknownValue:
            return None
        return (caller, outer.index) if returned == address else None

    def _stored_type(self, call: Node) -> CType | None:
        """What the pointers point to in which the function keeps the result of a call; None for void."""
        fn = self.trace.at(call[0]).fn
        for store in _stores_of(fn, fn.instrs[call[1]]):
            pointer = self.types.pointer(fn, store.args[1])
            target = pointer.pointee if pointer is not None else None
            if target is not None and target.kind not in _UNTYPED:
                return target
        return None

    def _rank(self, number: int, made_by: Node) -> int:
        same = self._siblings(number, made_by)
        return 0 if len(same) < 2 else 1 + int(np.searchsorted(same, number))

    def _siblings(self, number: int, made_by: Node) -> NDArray[np.int64]:
        """The numbers of the blocks that the same statement made, ascending."""
        births = self.log.object["birth"][self._numbers]
        same: NDArray[np.int64] = self._numbers[
            self._segments == self.log.segment(int(self.log.object[number]["birth"]))
        ]
        if made_by[0] == int(self.log.object[number]["birth"]):
            return same
        if len(births) > _MAX_BLOCKS_NUMBERED:
            return same[:0]
        site = self.log.segment(made_by[0])
        return np.array([n for n in same.tolist() if self._is_made_at(n, site)], np.int64)

    def _is_made_at(self, number: int, site: int) -> bool:
        made_by = self._made_by(number)
        return made_by is not None and self.log.segment(made_by[0]) == site

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.log.object["kind"] == ObjectKind.HEAP)

    @cached_property
    def _segments(self) -> NDArray[np.int64]:
        """The static segment that each heap block was made in."""
        return np.asarray(self.log.seg[self.log.object["birth"][self._numbers]], np.int64)


def _stores_of(fn: Function, call: Instr) -> Iterator[Instr]:
    """The stores of a call's result in a function, and those of what is loaded from where these stored it."""
    kept = [instr for instr in fn.instrs if instr.op == "store" and instr.args[0] == call.slot]
    yield from kept
    homes = {store.args[1] for store in kept if isinstance(store.args[1], int)}
    loads = {instr.slot for instr in fn.instrs if instr.op == "load" and instr.args[0] in homes}
    yield from (instr for instr in fn.instrs if instr.op == "store" and instr.args[0] in loads)
