"""The columns that the runtime wrote, opened in place; windows of segments are decoded on demand.

A position in the run is a segment instance: the number of a segment entry in the order of execution. See
`ir/recording_segments.py` for what a segment logs and `record_layout.py` for the layout of the columns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.errors import RecordingError
from butfor.ir.recording_segments import ENTRY, RET, SETJMP
from butfor.trace.log.record_layout import (
    DTYPES,
    ESCAPED,
    FIRST_EVENT_ID,
    NO_FRAME,
    NO_SEGMENT,
    WINDOW,
    ColumnCounts,
    EventKind,
    segment_type,
)

_MAX_SCANNED_SEGMENTS = 32  # each costs a scan of the column; for more it is cheaper to sort the whole column once
_MAX_WINDOWS_KEPT = 2048  # 2 million segment instances, some 400 MB; older ones are decoded again
_SEGMENTS_PER_SCAN = 1 << 24  # looked at with one numpy operation: whole columns may be larger than memory
_MAX_SORTED_SEGMENTS = 1 << 25  # sorting the column takes 16 bytes for each; longer ones are scanned
_MAX_KEPT_POSITIONS = 1 << 26  # of segments together: 512 MB
_CHANGES_FRAME = ENTRY | SETJMP


class EndReason(IntEnum):
    """Why a recording ended, as the runtime numbers it (`enum bf_end` in `rt_end.h`)."""

    EXIT = 1
    SIGNAL = 2
    ASSERT = 3
    REACH_ERROR = 4
    ASSUME = 5
    UNSUPPORTED = 6
    LIMIT = 7
    DISK = 8
    STOPPED = 9


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the recorded process ended, in the runtime's own words."""

    reason: int  # an `EndReason`; a damaged log may hold any number
    status: int
    fault: int  # the address whose access raised the fatal signal
    segments: int
    loads: int
    stores: int
    stopped: int  # segments when a limit was reached, 0 for none
    text: str


@dataclass(slots=True, eq=False)
class _Window:
    """Decoded segment instances, from `first` on. The counts are those before each segment, and after the last."""

    first: int
    segs: list[int]
    frames: list[int]
    loads: list[int]
    stores: list[int]
    bytes: list[int]
    addresses: list[int]
    words: list[int]


def read_end(path: Path) -> RunEnd:
    """The end record of a run."""
    fields: dict[str, str] = {}
    for line in path.read_text("utf-8", "replace").splitlines():
        key, _, value = line.partition(" ")
        fields[key] = value
    names = ("reason", "status", "fault", "segments", "loads", "stores", "stopped")
    return RunEnd(**{name: int(fields[name]) for name in names}, text=fields.get("text", ""))


class Log:
    """The recorded columns of one run. `table` is the static segment table of the program."""

    def __init__(self, home: Path, table: NDArray[np.int32]) -> None:
        self.table = table
        self.home = home
        self.seg = self._open("seg", segment_type(len(table)))
        for name, dtype in DTYPES.items():
            setattr(self, name, self._open(name, dtype))
        try:
            self.end = read_end(home / "end")
        except (OSError, KeyError, ValueError) as e:
            raise RecordingError(
                "the recording has no end: the recorded process was killed, or the file is truncated"
            ) from e
        if len(self.seg) < self.end.segments or len(self.check) * WINDOW < len(self.seg):
            raise RecordingError("the recording is truncated")
        self._check_stores = self.check["stores"].astype(np.int64)
        self._check_loads = self.check["loads"].astype(np.int64)
        self._escaped: dict[int, list[int]] = {}
        self._windows: OrderedDict[int, _Window] = OrderedDict()
        self._positions: dict[int, NDArray[np.int64]] = {}
        self._flags = table[:, 5].tolist()

    load: NDArray[np.uint8]
    value: NDArray[np.uint8]
    address: NDArray[np.uint64]
    word: NDArray[np.uint64]
    escape: NDArray[Any]
    frame: NDArray[Any]
    read: NDArray[Any]
    event: NDArray[Any]
    run: NDArray[Any]
    object: NDArray[Any]
    death: NDArray[Any]
    error: NDArray[Any]
    output: NDArray[Any]
    piece: NDArray[Any]
    text: NDArray[Any]
    check: NDArray[Any]

    def _open(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        path = self.home / name
        try:
            size = path.stat().st_size // dtype.itemsize
        except OSError as e:
            raise RecordingError(f"the recording lacks the column {name!r}") from e
        if size == 0:
            return np.empty(0, dtype)
        column = np.memmap(path, dtype, "r", shape=(size,))
        return column.view(np.ndarray)  # the bare class reads single elements faster

    def __len__(self) -> int:
        return len(self.seg)

    def _window(self, i: int) -> tuple[_Window, int]:
        k = i // WINDOW
        w = self._windows.get(k)
        if w is None:
            w = self._decode(k)
            self._windows[k] = w
            if len(self._windows) > _MAX_WINDOWS_KEPT:
                self._windows.popitem(last=False)
        return w, i - k * WINDOW

    def _decode(self, k: int) -> _Window:
        first = k * WINDOW
        segs = self.seg[first : first + WINDOW]
        rows = self.table[segs, :5].astype(np.int64)
        c = self.check[k]
        start = np.array([c["loads"], c["stores"], c["bytes"], c["addresses"], c["words"]], dtype=np.int64)
        sums = np.vstack([start, start + np.cumsum(rows, axis=0)])
        lists = segs.tolist()
        return _Window(
            first, lists, self._frames(lists, c, int(c["words"]), rows[:, 4]), *(sums[:, j].tolist() for j in range(5))
        )

    def _frames(self, segs: list[int], c: Any, words: int, per_segment: NDArray[np.int64]) -> list[int]:
        """The frame of every segment instance of a window."""
        current, coming = int(c["frame"]), int(c["frames"])
        flags = self._flags
        parents = self.frame["parent"]
        out = []
        before = None
        for j, s in enumerate(segs):
            f = flags[s]
            if f & _CHANGES_FRAME:
                if f & ENTRY:
                    current = coming
                    coming += 1
                elif f & SETJMP:
                    if before is None:
                        before = np.concatenate(([0], np.cumsum(per_segment)))
                    at = words + int(before[j])
                    if at < len(self.word):
                        current = int(self.word[at])
            out.append(current)
            if f & RET:
                current = int(parents[current])
        return out

    # --- static number, frame and counts of a segment instance ----------------------------------------------

    def segment(self, i: int) -> int:
        """The static number of the segment."""
        w, j = self._window(i)
        return w.segs[j]

    def frame_of(self, i: int) -> int:
        """The frame in which the segment ran."""
        w, j = self._window(i)
        return w.frames[j]

    def counts_before(self, i: int) -> ColumnCounts:
        """What had been logged before the segment."""
        w, j = self._window(i)
        return ColumnCounts(w.loads[j], w.stores[j], w.bytes[j], w.addresses[j], w.words[j])

    def segment_of_store(self, number: int) -> int:
        """The segment instance that made store `number` (counted from 1)."""
        k = int(np.searchsorted(self._check_stores, number - 1, "right")) - 1
        w, _ = self._window(k * WINDOW)
        return w.first + bisect_right(w.stores, number - 1) - 1

    def segment_of_address(self, number: int) -> int:
        """The segment instance that logged address `number` (counted from 0)."""
        k = bisect_right(self.check["addresses"], number) - 1
        w, _ = self._window(k * WINDOW)
        return w.first + bisect_right(w.addresses, number) - 1

    def writer(self, load: int, stores_before: int) -> int:
        """The writer id of load number `load`, before which `stores_before` stores had been made."""
        delta = int(self.load[load])
        if delta != ESCAPED:
            return (stores_before - delta) << 3
        k = int(np.searchsorted(self._check_loads, load, "right")) - 1
        places = self._escaped.get(k)
        if places is None:
            first = int(self._check_loads[k])
            end = int(self._check_loads[k + 1]) if k + 1 < len(self._check_loads) else len(self.load)
            places = self._escaped[k] = (np.flatnonzero(self.load[first:end] == ESCAPED) + first).tolist()
        return int(self.escape[int(self.check["escapes"][k]) + bisect_left(places, load)])

    def read_sources(self, number: int) -> list[int]:
        """The writer of each byte of irregular read `number` (counted from 1)."""
        r = self.read[number - 1]
        size, runs, source = int(r["size"]), int(r["runs"]), int(r["source"])
        rows = [(0, source)] if runs == 1 else self.run[source : source + runs].tolist()
        ids: list[int] = []
        for k, (start, w) in enumerate(rows):
            end = rows[k + 1][0] if k + 1 < len(rows) else size
            ids += [w] * (end - start) if w == 0 or w >= FIRST_EVENT_ID else range(w, w + end - start)
        return ids

    def read_runs(self, number: int, first: int, end: int) -> Iterator[tuple[int, int, int]]:
        """(offset, writer, size) of each run of bytes with one writer among bytes first..end of an irregular read."""
        ids = self.read_sources(number)[:end]
        k = first
        while k < len(ids):
            writer = ids[k]
            is_constant = writer == 0 or writer >= FIRST_EVENT_ID
            size = 1
            while k + size < len(ids) and ids[k + size] == (writer if is_constant else writer + size):
                size += 1
            yield k, writer, size
            k += size

    @cached_property
    def is_last_part(self) -> bool:
        """Whether the log begins in the middle of a long run."""
        return len(self.event) > 0 and int(self.event[0]["kind"]) == EventKind.BEFORE

    @cached_property
    def dropped(self) -> NDArray[np.int64]:
        """How often each static segment ran before the recorded part of a long run."""
        counts = np.zeros(len(self.table), np.int64)
        if (self.home / "dropped").exists():
            found = np.fromfile(self.home / "dropped", "<i8")[: len(counts)]
            counts[: len(found)] = found
        return counts

    def occurrence(self, i: int) -> int:
        """How often its static segment had run in the whole run when a segment instance began, itself included."""
        segment = self.segment(i)
        return int(self.dropped[segment]) + int(self.positions(segment).searchsorted(i, side="right"))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each static segment ran."""
        counts = np.zeros(len(self.table), np.int64)
        for first in range(0, len(self.seg), _SEGMENTS_PER_SCAN):
            counts += np.bincount(self.seg[first : first + _SEGMENTS_PER_SCAN], minlength=len(self.table))
        return counts

    @cached_property
    def event_order(self) -> tuple[list[int], list[int]]:
        """Segment instances of the events, ascending, and the rows of the events in that order.

        The column itself is not sorted: a call that called back logs some of its own events late.
        """
        order = np.argsort(self.event["seg"], kind="stable")
        return self.event["seg"][order].tolist(), order.tolist()

    def events_of(self, i: int) -> list[int]:
        """The rows of the events that a segment instance caused, in the order in which they happened."""
        segments, order = self.event_order
        return order[bisect_left(segments, i) : bisect_right(segments, i)]

    def positions(self, segment: int) -> NDArray[np.int64]:
        """All instances of a static segment, ascending."""
        found = self._positions.get(segment)
        if found is None:
            if len(self._positions) < _MAX_SCANNED_SEGMENTS or len(self.seg) > _MAX_SORTED_SEGMENTS:
                found = self._scanned(segment)
            else:
                order, ends = self._sorted
                found = order[ends[segment] - int(self.counts[segment]) : ends[segment]]
            if len(found) + sum(map(len, self._positions.values())) > _MAX_KEPT_POSITIONS:
                self._positions.clear()
            self._positions[segment] = found
        return found

    def _scanned(self, segment: int) -> NDArray[np.int64]:
        """All instances of a static segment, by a scan of the column."""
        firsts = range(0, len(self.seg), _SEGMENTS_PER_SCAN)
        parts = [np.flatnonzero(self.seg[f : f + _SEGMENTS_PER_SCAN] == segment) + f for f in firsts]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], list[int]]:
        """All segment instances, those of one segment together; for each segment where its own end."""
        return np.argsort(self.seg, kind="stable"), np.cumsum(self.counts).tolist()

    def previous_in_frame(self, i: int) -> int:
        """The segment instance that ran before this one in the same frame, or -1 at the frame's entry."""
        w, j = self._window(i)
        frame = w.frames[j]
        if self._flags[w.segs[j]] & ENTRY or i == 0:
            return -1
        f = w.frames[j - 1] if j else self.frame_of(i - 1)
        if f == frame:
            return i - 1
        parents = self.frame["parent"]
        while True:
            parent = int(parents[f])
            if parent == frame:
                caller = int(self.frame["caller"][f])
                return -1 if caller == NO_SEGMENT else caller
            if parent == NO_FRAME:
                return -1
            f = parent

    def death_of(self, obj: int) -> int:
        """The segment instance at which an object was freed, or -1."""
        hit = np.flatnonzero(self.death["object"] == obj)
        return int(self.death["seg"][hit[0]]) if len(hit) else -1
