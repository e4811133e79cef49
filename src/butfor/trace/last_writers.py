"""Last writers of the bytes that were read, resolved to stores, copies, calls and initial values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind, ObjectKind, ReadFlag, record_number


@dataclass(frozen=True, slots=True)
class ByteSource:
    """Where a byte came from.

    `kind` is store, event, initial, uninit, foreign or changed. `number` counts from 1 and is that of the store, of the
    event, or for a changed byte of the call that may have changed it.
    """

    kind: str
    number: int = 0
    address: int = 0


class LastWriters:
    """Resolves writer ids; `unchanging` are the addresses of library data that no call changes."""

    def __init__(self, log: Log, unchanging: frozenset[int] = frozenset()) -> None:
        self.log = log
        self.unchanging = unchanging

    @cached_property
    def globals(self) -> tuple[list[int], list[int]]:
        """Starts and ends of the global variables, ascending."""
        rows = sorted(
            (int(o["start"]), int(o["size"]))
            for o in self.log.object
            if int(o["kind"]) == ObjectKind.GLOBAL and int(o["size"])
        )
        return [start for start, _ in rows], [start + size for start, size in rows]

    def _is_global(self, address: int) -> bool:
        starts, ends = self.globals
        k = bisect_right(starts, address) - 1
        return k >= 0 and address < ends[k]

    def sources(self, writer: int, size: int, address: int | None = None) -> tuple[ByteSource, ...]:
        """The sources of bytes that a writer left, including the copies on the way."""
        found: dict[ByteSource, None] = {}
        work = [(writer, size, address)]
        seen = set()
        while work:
            item = work.pop()
            if item in seen:
                continue
            seen.add(item)
            for source in self._step(*item, work):
                found[source] = None
        return tuple(found)

    def _step(
        self, writer: int, size: int, address: int | None, work: list[tuple[int, int, int | None]]
    ) -> Iterator[ByteSource]:
        if writer == 0:
            yield ByteSource("initial" if self._is_global(address or 0) else "uninit", 0, address or 0)
        elif writer < FIRST_READ_ID:
            for number in range(writer >> 3, (writer + max(size, 1) - 1 >> 3) + 1):  # consecutive stores make one run
                yield ByteSource("store", number)
        elif writer < FIRST_EVENT_ID:
            yield from self._read(record_number(writer), writer & 7, size, work)
        else:
            yield from self._event(record_number(writer), size, address, work)

    def _read(
        self, number: int, first: int, size: int, work: list[tuple[int, int, int | None]]
    ) -> Iterator[ByteSource]:
        r = self.log.read[number - 1]
        flags, start = int(r["flags"]), int(r["addr"])
        for k, w, length in self.log.read_runs(number, first, min(int(r["size"]), first + size)):
            if w == 0:
                if flags & ReadFlag.FOREIGN and r["event"] and start not in self.unchanging:
                    yield ByteSource("changed", int(r["event"]), start + k)
                kind = "uninit" if flags & ReadFlag.UNINIT else "initial" if flags & ReadFlag.INITIAL else "foreign"
                yield ByteSource(kind, number, start + k)
            elif not flags & ReadFlag.CHANGED:  # else the old writers do not matter any more
                work.append((w, length, start + k))
        if flags & ReadFlag.CHANGED:
            yield ByteSource("changed", int(r["event"]), start)

    def _event(
        self, number: int, size: int, address: int | None, work: list[tuple[int, int, int | None]]
    ) -> Iterator[ByteSource]:
        yield ByteSource("event", number)
        e = self.log.event[number - 1]
        if int(e["kind"]) != EventKind.COPY:
            return
        low = 0 if address is None else address - int(e["addr"])
        high = int(e["len"]) if address is None else low + size
        work.extend(self.runs_read(number, low, high, int(e["addr2"])))

    def runs_read(self, number: int, low: int, high: int, base: int) -> list[tuple[int, int, int]]:
        """(writer, size, address) of each run of bytes with one writer among bytes low..high that event `number` read.

        `base` is the address of byte 0.
        """
        e = self.log.event[number - 1]
        at, count, length = int(e["run"]), int(e["runs"]), int(e["len"])
        rows = self.log.run[at : at + count]
        offsets = rows["offset"]
        k = max(0, bisect_right(offsets, low) - 1)
        out: list[tuple[int, int, int]] = []
        while k < count and int(offsets[k]) < high:
            start = int(offsets[k])
            end = int(offsets[k + 1]) if k + 1 < count else length
            w = int(rows["id"][k])
            cut = max(low, start)
            if w and w < FIRST_EVENT_ID:
                w += cut - start
            out.append((w, min(end, high) - cut, base + cut))
            k += 1
        return out
