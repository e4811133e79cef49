"""Texts that lay in the program's memory at a moment of the run, as far as the recording knows their bytes.

Library calls that read or write a text leave its first bytes in the log. Between such a call and the moment that is
asked about, nothing may have written there, or what was written must be known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ir.recording_segments import variable_and_offset
from butfor.trace.log.record_layout import FIRST_READ_ID, MAX_STORE_BYTES, MAX_TEXT_BYTES, EventKind
from butfor.trace.recording import Recording
from butfor.trace.view.named_stores import NamedStores

_READING = (EventKind.READ_BY_CALL, EventKind.COPY)
_MAX_CALLS_TRIED = 8  # that touched an address, nearest first
_MAX_EVENTS_SCANNED = 1 << 12  # of the log, back from the moment asked about
_MAX_ROWS_INDEXED = 1 << 21  # of texts, the last ones: a second of sorting
_MAX_STORES_APPLIED = 64  # between a call and the moment asked about; more are a loop that makes another text
_MAX_ADDRESSES_SCANNED = 1 << 17  # of the log: a tenth of a millisecond

# The segment instance, whether a call wrote, where, the bytes that are known, and how many were written.
_Write = tuple[int, bool, int, bytes, int]


class TextsInMemory:
    """Texts by address and moment."""

    def __init__(self, recording: Recording, named: NamedStores) -> None:
        self.recording = recording
        self.log = recording.log
        self.named = named

    def at(self, address: int, i: int, end: int) -> bytes | None:
        """The bytes from an address on when segment instance i ran, before `end`, the end of their object.

        They hold the zero byte that ends the text, or they are as many as the log keeps; None where they are not known.
        """
        if not len(self.log.text):
            return None
        for row in self._later(address, i):
            known = self._as_read(row, address, i)
            text = _whole_text(known or b"", end - address)
            if text is not None:
                return text
        return _whole_text(self._after_writes(address, i), end - address)

    # --- what the log keeps -------------------------------------------------------------------------------------

    @cached_property
    def _kept(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The events with a text, ascending, and the first row of each; then one more row."""
        skipped = max(len(self.log.text) - _MAX_ROWS_INDEXED, 0)
        numbers = self.log.text["event"][skipped:].astype(np.int64)
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        inside = (numbers[first] >= 1) & (numbers[first] <= len(self.log.event))
        return numbers[first][inside] - 1, np.append(first[inside], len(numbers)) + skipped

    @cached_property
    def _starts(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32]]:
        """Where texts begin, ascending, and in order of time within; which of the events each is, and its moment."""
        events = self.log.event[self._kept[0]]
        where = np.where(events["kind"] == EventKind.COPY, events["addr2"], events["addr"])
        order = np.argsort(where, kind="stable")
        return where[order], order, events["seg"][order]

    def _text_of(self, row: int) -> bytes:
        """The first bytes of the text of an event, with the zero byte that ends it if it is not longer."""
        _, first = self._kept
        data: bytes = self.log.text["bytes"][int(first[row]) : int(first[row + 1])].tobytes()
        return data[: data.find(b"\0") + 1] if b"\0" in data else data

    def _event(self, row: int) -> Any:
        return self.log.event[int(self._kept[0][row])]

    def _later(self, address: int, i: int) -> Iterator[int]:
        """The next calls that read there, from segment instance i on."""
        starts, order, moments = self._starts
        begins = np.arange(max(address - MAX_TEXT_BYTES + 1, 0), address + 1, dtype=np.uint64)
        lows, highs = np.searchsorted(starts, begins, "left"), np.searchsorted(starts, begins, "right")
        found: list[int] = []
        for k in np.flatnonzero(highs > lows).tolist():
            low, high = int(lows[k]), int(highs[k])
            at = low + int(np.searchsorted(moments[low:high], i, "left"))
            found += order[at : min(at + _MAX_CALLS_TRIED, high)].tolist()
        for row in sorted(found)[:_MAX_CALLS_TRIED]:
            if int(self._event(row)["kind"]) in _READING:
                yield row

    # --- before a call that read it ---------------------------------------------------------------------------------

    def _as_read(self, row: int, address: int, i: int) -> bytes | None:
        """What a call read from an address on, if that lay there already when segment instance i ran."""
        e = self._event(row)
        start = int(e["addr2"] if int(e["kind"]) == EventKind.COPY else e["addr"])
        known = self._text_of(row)[address - start :]
        if not known:
            return None
        if int(e["seg"]) == i:
            return known
        known = known[: max(start + int(e["len"]) - address, 0)]  # nothing is known of the writers of what follows
        stores = self.log.counts_before(i).stores
        writers = self.recording.trace.last_writers
        number = int(self._kept[0][row]) + 1
        for writer, size, where in writers.runs_read(number, address - start, address - start + len(known), start):
            for source in writers.sources(writer, size, where):
                if source.kind == "store" and source.number > stores:
                    return None
                if source.kind == "event" and int(self.log.event[source.number - 1]["seg"]) >= i:
                    return None
                if source.kind == "changed" or (writer >= FIRST_READ_ID and source.kind == "foreign"):
                    return None
        return known

    # --- after calls that read or wrote there -----------------------------------------------------------------------

    def _after_writes(self, address: int, i: int) -> bytes:
        """What is known to lie from an address on when segment instance i ran, from what was written there before."""
        calls = self._calls_before(address, i)
        if not calls or self._stored_in(i, address):
            return b""
        since = min(int(self.log.event[k]["seg"]) for k in calls)
        stores, named = self._stored_between(address, since, i), self._stored_by_name(address, i)
        if stores is None or named is None or self._calls_that_tell_nothing(calls[-1], i):
            return b""
        writes = [*stores, *named, *((int(self.log.event[k]["seg"]), True, *self._left_by(k)) for k in calls)]
        known: dict[int, int | None] = {}
        for _, _, start, data, size in sorted(writes, key=lambda write: write[:2], reverse=True):
            for k in range(max(start, address), min(start + size, address + MAX_TEXT_BYTES)):
                known.setdefault(k, data[k - start] if k - start < len(data) else None)
        whole = [known.get(address + k) for k in range(MAX_TEXT_BYTES)]
        end = next((k for k, byte in enumerate(whole) if byte is None), MAX_TEXT_BYTES)
        return bytes(byte for byte in whole[:end] if byte is not None)

    def _calls_before(self, address: int, i: int) -> list[int]:
        """The last events before a moment that touched these bytes, latest first, until one that read them."""
        e = self.log.event
        upto = int(np.searchsorted(e["seg"], i, "left"))
        first = max(upto - _MAX_EVENTS_SCANNED, 0)
        e = e[first:upto]
        touched = (e["addr"] < address + MAX_TEXT_BYTES) & (e["addr"] + e["len"] > address) & (e["addr"] != 0)
        found = []
        for k in (np.flatnonzero(touched)[::-1][:_MAX_CALLS_TRIED] + first).tolist():
            found.append(k)
            if int(self.log.event[k]["kind"]) == EventKind.READ_BY_CALL and int(self.log.event[k]["addr"]) <= address:
                break
        return found

    def _left_by(self, k: int) -> tuple[int, bytes, int]:
        """Where an event read or wrote, the first bytes that lay there then, and how many it touched."""
        e = self.log.event[k]
        row = int(np.searchsorted(self._kept[0], k))
        has_text = row < len(self._kept[0]) and int(self._kept[0][row]) == k
        data, size = self._text_of(row) if has_text else b"", int(e["len"])
        if int(e["kind"]) == EventKind.COPY:
            return int(e["addr"]), data[:size], size
        return int(e["addr"]), data, max(size, len(data))

    def _calls_that_tell_nothing(self, since: int, i: int) -> bool:
        e = self.log.event[since + 1 :]
        e = e[: int(np.searchsorted(e["seg"], i, "left"))]
        return bool((e["kind"] == EventKind.CALL).any())

    def _stored_between(self, address: int, since: int, i: int) -> list[_Write] | None:
        """The stores to these bytes after segment instance `since` and before i; None where there are too many."""
        low, high = self.log.counts_before(since + 1).addresses, self.log.counts_before(i).addresses
        if high - low > _MAX_ADDRESSES_SCANNED:
            return None
        hits = np.flatnonzero(_near(self.log.address[low:high], address))
        if len(hits) > _MAX_STORES_APPLIED:
            return None
        trace, found = self.recording.trace, []
        for k in (hits + low).tolist():
            node = trace.store_of_address(k)
            data = trace.stored_bytes(node)
            found.append((node[0], False, int(self.log.address[k]), data, len(data)))
        return found

    def _stored_in(self, i: int, address: int) -> bool:
        """Whether segment instance i itself stores there: before or after the moment that is meant, who knows."""
        low, high = self.log.counts_before(i).addresses, self.log.counts_before(i + 1).addresses
        return bool(_near(self.log.address[low:high], address).any())

    def _stored_by_name(self, address: int, i: int) -> list[_Write] | None:
        """The last stores to these bytes by the name of their variable, whose addresses are not logged.

        None where segment instance i itself has one: before or after the moment that is meant, who knows.
        """
        trace, found = self.recording.trace, []
        for fn, root, start, frame in self.named.owners(address, i):
            layout = self.recording.program.layout(fn.name).frame
            for instr in fn.instrs:
                named = variable_and_offset(fn, instr.args[1], layout) if instr.op == "store" else None
                if named is None or named[0] != root:
                    continue
                if not -MAX_STORE_BYTES < start + named[1] - address < MAX_TEXT_BYTES:
                    continue
                node = self.named.latest(fn, instr.index, (i + 1, -1), frame)
                if node is not None and node[0] == i:
                    return None
                if node is not None:
                    data = trace.stored_bytes(node)
                    found.append((node[0], False, start + named[1], data, len(data)))
        return found


def _whole_text(known: bytes, room: int) -> bytes | None:
    """The bytes up to the zero byte; None where neither it nor enough of the text is known, or it is no text."""
    known = known[:room]
    text, zero, _ = known.partition(b"\0")
    return text if zero or len(known) == MAX_TEXT_BYTES else None


def _near(addresses: NDArray[np.uint64], address: int) -> NDArray[np.bool_]:
    """Which stores may touch the text that begins at an address."""
    near: NDArray[np.bool_] = (addresses > max(address - MAX_STORE_BYTES, 0)) & (addresses < address + MAX_TEXT_BYTES)
    return near
