"""The bytes that a store overwrote, from the latest earlier write to the same address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from butfor.ir.recording_segments import variable_and_offset
from butfor.trace.log.record_layout import MAX_STORE_BYTES, NO_SITE, EventKind
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.named_stores import NamedStores
from butfor.trace.view.run_objects import RunObjects

_FIRST_ROWS_SCANNED, _MAX_ROWS_SCANNED = 1 << 14, 1 << 22  # of the column of addresses, with one numpy operation
_MAX_STORES_SEARCHED = 8  # that begin near the address, latest first; nearly always the first one overlaps it
_MAX_EVENTS_SEARCHED = 4  # latest first; only those of the store's own segment can be later than the store
_AFTER_ALL_INSTRUCTIONS = 1 << 30  # library calls end their segment


class OverwrittenValues:
    """Earlier contents of memory, where known writes determine them: library code without a model may write unseen."""

    def __init__(self, trace: Trace, objects: RunObjects) -> None:
        self.trace = trace
        self.log = trace.log
        self.named = NamedStores(trace, objects.globals)

    def before(self, store: Node) -> bytes | None:
        """The bytes that a store instance overwrote, or None where that is not certain."""
        i, n = store
        s = self.trace.at(i)
        size = sum(s.layout.effects[n].stores)
        try:
            address = int(self.trace.operand(i, s.fn.instrs[n].args[1]))
        except UnknownValue:
            return None
        writes = [
            w
            for w in (self._through_pointer(store, address, size), self._by_name(store, address, size))
            if w is not None
        ]
        latest = max(writes, default=None)
        if latest is None or latest[1] != address:
            return None
        event = self._last_event(store, address, size)
        if event is not None and event >= latest[0]:
            return None
        found = self.trace.stored_bytes(latest[0])
        return found if len(found) == size else None

    def _through_pointer(self, node: Node, address: int, size: int) -> tuple[Node, int] | None:
        """The latest store through a pointer that touched these bytes, and its address."""
        i, n = node
        upto = self.log.counts_before(i).addresses + self.trace.at(i).offsets[n].addresses
        column = self.log.address
        for k in islice(self._stored_near(address, size, upto), _MAX_STORES_SEARCHED):
            at = self.trace.store_of_address(k)
            start = int(column[k])
            if at < node and start + len(self.trace.stored_bytes(at)) > address:
                return at, start
        return None

    def _stored_near(self, address: int, size: int, upto: int) -> Iterator[int]:
        """Which of the first `upto` logged addresses may touch these bytes, latest first: most are found close by."""
        rows = _FIRST_ROWS_SCANNED
        while upto > 0:
            first = max(upto - rows, 0)
            part = self.log.address[first:upto]
            hits = np.flatnonzero((part > max(address - MAX_STORE_BYTES, 0)) & (part < address + size))
            yield from (hits[::-1] + first).tolist()
            upto, rows = first, min(rows * 2, _MAX_ROWS_SCANNED)

    def _by_name(self, node: Node, address: int, size: int) -> tuple[Node, int] | None:
        """The latest store that touched these bytes through the name of their variable, and its address."""
        best: tuple[Node, int] | None = None
        for fn, root, start, frame in self.named.owners(address, node[0]):
            for instr in fn.instrs:
                if instr.op != "store":
                    continue
                named = variable_and_offset(fn, instr.args[1], self.trace.program.layout(fn.name).frame)
                if named is None or named[0] != root or not start + named[1] < address + size:
                    continue
                at = self.named.latest(fn, instr.index, node, frame)
                if (
                    at is not None
                    and start + named[1] + len(self.trace.stored_bytes(at)) > address
                    and (best is None or at > best[0])
                ):
                    best = at, start + named[1]
        return best

    def _last_event(self, node: Node, address: int, size: int) -> Node | None:
        """The latest copy or library call that wrote to these bytes."""
        e = self.log.event
        if not len(e):
            return None
        touched = (
            (e["addr"] < address + size)
            & (e["addr"] + e["len"] > address)
            & (e["kind"] != EventKind.READ_BY_CALL)
            & (e["seg"] <= node[0])
        )
        for k in np.flatnonzero(touched)[::-1][:_MAX_EVENTS_SEARCHED].tolist():
            site = int(e[k]["site"])
            at = (int(e[k]["seg"]), site if site != NO_SITE else _AFTER_ALL_INSTRUCTIONS)
            if at < node:
                return at
        return None
