"""What a store overwrote: the latest earlier write to the same bytes, whoever made it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from butfor.ir.instructions import Function
from butfor.ir.recording_segments import variable_and_offset
from butfor.trace.last_writers import READ_BY_CALL
from butfor.trace.log.columns import NO_FRAME, NO_SITE
from butfor.trace.trace import Node, Trace, Unknown
from butfor.trace.view.run_objects import Objects

_DEEP = 64


class Overwritten:
    """Earlier contents of memory. Writes by library code without a model are not seen, so an answer is given only from known writes."""

    def __init__(self, trace: Trace, objects: Objects) -> None:
        self.trace = trace
        self.log = trace.log
        self.objects = objects

    def by(self, node: Node) -> bytes | None:
        """The bytes that a store instance overwrote, or None where that is not certain."""
        i, n = node
        s = self.trace.at(i)
        size = sum(s.layout.effects[n].stores)
        try:
            address = int(self.trace.operand(i, s.fn.instrs[n].args[1]))
        except Unknown:
            return None
        writes = [w for w in (self._indirect(node, address, size), self._direct(node, address, size)) if w is not None]
        latest = max(writes, default=None)
        if latest is None or latest[1] != address:
            return None
        event = self._event(node, address, size)
        if event is not None and event >= latest[0]:
            return None
        found = self.trace.stored(latest[0])
        return found if len(found) == size else None

    def _indirect(self, node: Node, address: int, size: int) -> tuple[Node, int] | None:
        """The latest store through a pointer that touched these bytes, and where it began."""
        i, n = node
        upto = self.log.before(i)[3] + self.trace.at(i).offsets[n][3]
        column = self.log.address[:upto]
        hits = np.flatnonzero((column > max(address - 16, 0)) & (column < address + size))
        for k in hits[::-1][:8].tolist():
            at = self._store_of_address(k)
            start = int(column[k])
            if at is not None and at < node and start + len(self.trace.stored(at)) > address:
                return at, start
        return None

    def _store_of_address(self, number: int) -> Node | None:
        i = self.log.segment_of_address(number)
        s = self.trace.at(i)
        wanted = number - self.log.before(i)[3]
        return next(
            ((i, n) for n, offset in s.offsets.items() if s.layout.effects[n].address and offset[3] == wanted), None
        )

    def _direct(self, node: Node, address: int, size: int) -> tuple[Node, int] | None:
        """The latest store that names the variable itself."""
        best: tuple[Node, int] | None = None
        for fn, root, start, frame in self._owners(address, node[0]):
            for instr in fn.instrs:
                if instr.op != "store":
                    continue
                named = variable_and_offset(fn, instr.args[1], self.trace.program.layout(fn.name).frame)
                if named is None or named[0] != root or not start + named[1] < address + size:
                    continue
                at = self._latest(fn, instr.index, node, frame)
                if (
                    at is not None
                    and start + named[1] + len(self.trace.stored(at)) > address
                    and (best is None or at > best[0])
                ):
                    best = at, start + named[1]
        return best

    def _owners(self, address: int, i: int) -> Iterator[tuple[Function, int | str, int, int | None]]:
        """Functions that may name the variable at an address: (function, slot or name, start of the variable, frame or None)."""
        found = self.objects.global_at(address)
        if found is not None:
            name, offset = found
            for number in sorted(set(self.log.table[self.log.counts > 0, 6].tolist())):
                yield self.trace.program.function(self.trace.program.names[number]), name, address - offset, None
            return
        frame = self.log.frame_of(i)
        for _ in range(_DEEP):
            if frame == NO_FRAME:
                return
            base = int(self.log.frame["base"][frame])
            fn = self.trace.at(int(self.log.frame["entry"][frame])).fn
            layout = self.trace.program.layout(fn.name)
            if base <= address < base + layout.frame_size:
                slot = max(
                    (s for s, off in layout.frame.items() if base + off <= address),
                    key=layout.frame.__getitem__,
                    default=None,
                )
                if slot is not None:
                    yield fn, slot, base + layout.frame[slot], frame
                return
            frame = int(self.log.frame["parent"][frame])

    def _latest(self, fn: Function, n: int, node: Node, frame: int | None) -> Node | None:
        places = self.log.positions(self.trace.static.first(fn) + self.trace.static.home(fn, n))
        k = int(places.searchsorted(node[0], "right")) - 1
        entry = 0 if frame is None else int(self.log.frame["entry"][frame])
        while k >= 0 and places[k] >= entry:
            at = (int(places[k]), n)
            if at < node and (frame is None or self.log.frame_of(at[0]) == frame):
                return at
            k -= 1
        return None

    def _event(self, node: Node, address: int, size: int) -> Node | None:
        """The latest copy or library call that wrote these bytes."""
        e = self.log.event
        if not len(e):
            return None
        touched = (
            (e["addr"] < address + size)
            & (e["addr"] + e["len"] > address)
            & (e["kind"] != READ_BY_CALL)
            & (e["seg"] <= node[0])
        )
        for k in np.flatnonzero(touched)[::-1][:4].tolist():
            site = int(e[k]["site"])
            at = (int(e[k]["seg"]), site if site != NO_SITE else 1 << 30)
            if at < node:
                return at
        return None
