"""The last part of a long run made a log of its own: numbers begin at 0, and what came before is named as such.

`frontends/c/runtime/rt_keep.c` drops the beginning of a log that grows too large. What is left refers to segments,
stores, reads, events and frames by their numbers in the whole run; here they get those of a log that begins there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ir.recording_segments import ENTRY, RET, SETJMP
from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import (
    BEFORE_ID,
    BORN_BEFORE,
    COLUMNS,
    DTYPES,
    FIRST_EVENT_ID,
    FIRST_READ_ID,
    NO_FRAME,
    NO_SEGMENT,
    NO_SITE,
    WINDOW,
    EventKind,
    segment_type,
)

_ROWS_AT_ONCE = 1 << 22
_HEAD = np.dtype([("size", "<u8", len(COLUMNS)), *((name, "<u4") for name in ("window", "frames", "stores", "pad"))])
_KEPT_FRAME = np.dtype([("base", "<u8"), ("id", "<u4"), ("object", "<u4")])
_ABSOLUTE = ("object", "death", "error", "output", "piece")  # of which the runtime drops nothing
_ID_INDEX = 0x3FFFFFFF

Rows = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Part:
    """Where the part begins: bytes of each column before it, segments, stores, and the frames under way."""

    skipped: dict[str, int]
    segments: int
    frames: int
    stores: int
    under_way: Rows

    def rows(self, column: str) -> int:
        """The rows of a column before the part."""
        return self.skipped[column] // (1 if column == "seg" else DTYPES[column].itemsize)

    @property
    def events(self) -> int:
        """By how much numbers of events change: one stands for all that was before."""
        return self.rows("event") - 1

    def ids(self, ids: Rows) -> Rows:
        """Writers as the part numbers them."""
        reads, events = self.rows("read"), self.rows("event")
        out = np.where(ids == 0, ids, BEFORE_ID).astype(np.uint32)
        index = (ids & _ID_INDEX) >> 3
        for low, high, before, number in (
            (1, FIRST_READ_ID, self.stores, ids >> 3),
            (FIRST_READ_ID, FIRST_EVENT_ID, reads, index),
            (FIRST_EVENT_ID, 2**32, events, index),
        ):
            is_kept = (ids >= low) & (ids < high) & (number > before)
            shift = self.events if low == FIRST_EVENT_ID else before
            out[is_kept] = ids[is_kept].astype(np.int64) - (shift << 3)
        return out

    def frame_ids(self, frames: Rows) -> Rows:
        """Frames as the part numbers them: those under way first; NO_FRAME for frames that had ended."""
        frames = frames.astype(np.int64)
        out = np.where((frames >= self.frames) & (frames != NO_FRAME), frames - self.frames + len(self.under_way), -1)
        known = self.under_way["id"].astype(np.int64)
        place = np.minimum(np.searchsorted(known, frames), max(len(known) - 1, 0))
        if len(known):
            out = np.where(known[place] == frames, place, out)
        return np.where(out < 0, NO_FRAME, out).astype(np.uint32)


def keep_last_part(home: Path, table: NDArray[np.int32]) -> int:
    """The segments that were dropped from the log in this folder, which is now one of what was kept; 0 if all is there.

    `table` is the static segment table of the program.
    """
    if not (home / "end").exists():
        return 0
    end = (home / "end").read_text("utf-8", "replace")
    found = re.search(r"^kept (\d+)$", end, re.M)
    window = int(found[1]) if found else 0
    if window:
        part = _read_part(home / f"part-{window}")
        (home / "end").write_text(_shifted_end(end, part), "utf-8")
        _rewrite(home, part, table)
    for left in home.glob("part-*"):
        left.unlink()
    return window * WINDOW


def _read_part(path: Path) -> _Part:
    data = path.read_bytes()
    head = np.frombuffer(data, _HEAD, 1)[0]
    under_way = np.frombuffer(data, _KEPT_FRAME, offset=_HEAD.itemsize)
    skipped = {name: 0 if name in _ABSOLUTE else int(head["size"][k]) for k, name in enumerate(COLUMNS)}
    return _Part(skipped, int(head["window"]) * WINDOW, int(head["frames"]), int(head["stores"]), under_way)


def _shifted_end(end: str, part: _Part) -> str:
    """The end record with the numbers of the part."""
    before = {"segments": part.segments, "stopped": part.segments, "loads": part.rows("load"), "stores": part.stores}
    for name, count in before.items():
        end = re.sub(rf"(?m)^{name} (\d+)$", partial(_lessened, name, count), end)
    return re.sub(r"(?m)^kept \d+$", "kept 0", end)


def _lessened(name: str, count: int, found: re.Match[str]) -> str:
    return f"{name} {max(int(found[1]) - count, 0)}"


def _rewrite(home: Path, part: _Part, table: NDArray[np.int32]) -> None:
    """Write all columns anew."""
    for name in ("seg", "load", "value", "address", "word"):
        _drop_beginning(home / name, part.skipped[name])
    for name, convert in _CONVERSIONS.items():
        _convert(home / name, DTYPES[name], part.rows(name), partial(convert, part))
    before = np.zeros(1, DTYPES["event"])
    before["kind"], before["site"] = EventKind.BEFORE, NO_SITE
    _prepend(home / "event", before)
    _translate_setjmp_frames(home, part, table)
    _prepend(home / "frame", np.zeros(len(part.under_way), DTYPES["frame"]))
    frames = np.memmap(home / "frame", DTYPES["frame"], "r+")
    frames[: len(part.under_way)] = _frames_under_way(home, part, table)


def _drop_beginning(path: Path, size: int) -> None:
    """Remove the first bytes of a file."""
    new = path.with_suffix(".new")
    with open(path, "rb") as old, open(new, "wb") as out:
        old.seek(size)
        shutil.copyfileobj(old, out, 1 << 22)
    os.replace(new, path)


def _convert(path: Path, dtype: np.dtype[Any], first: int, convert: Callable[[Rows], Rows]) -> None:
    """Replace a column by what its rows from `first` on are converted to."""
    new = path.with_suffix(".new")
    with open(path, "rb") as old, open(new, "wb") as out:
        old.seek(first * dtype.itemsize)
        while data := old.read(_ROWS_AT_ONCE * dtype.itemsize):
            rows = np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype).copy()
            out.write(convert(rows).tobytes())
    os.replace(new, path)


def _mapped(path: Path, dtype: np.dtype[Any]) -> Rows:
    """The rows of a column, in place."""
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.empty(0, dtype)


def _prepend(path: Path, rows: Rows) -> None:
    new = path.with_suffix(".new")
    with open(path, "rb") as old, open(new, "wb") as out:
        out.write(rows.tobytes())
        shutil.copyfileobj(old, out, 1 << 22)
    os.replace(new, path)


def _segments(rows: Rows, part: _Part, otherwise: int = NO_SEGMENT) -> Rows:
    """Segment instances as the part numbers them; earlier ones become `otherwise`."""
    return np.where(rows < part.segments, otherwise, rows - np.uint32(part.segments)).astype(np.uint32)


def _escapes(part: _Part, rows: Rows) -> Rows:
    return part.ids(rows)


def _frames(part: _Part, rows: Rows) -> Rows:
    rows["entry"] -= part.segments
    rows["caller"] = _segments(rows["caller"], part)
    rows["parent"] = part.frame_ids(rows["parent"])
    return rows


def _reads(part: _Part, rows: Rows) -> Rows:
    rows["seg"] = _segments(rows["seg"], part, 0)
    rows["source"] = np.where(rows["runs"] == 1, part.ids(rows["source"]), rows["source"] - part.rows("run"))
    rows["event"] = np.where(rows["event"] > part.rows("event"), rows["event"].astype(np.int64) - part.events, 0)
    return rows


def _events(part: _Part, rows: Rows) -> Rows:
    rows["kind"][rows["seg"] < part.segments] = EventKind.BEFORE  # of a library call that was under way
    rows["seg"] = _segments(rows["seg"], part, 0)
    rows["run"] -= part.rows("run")
    return rows


def _runs(part: _Part, rows: Rows) -> Rows:
    rows["id"] = part.ids(rows["id"])
    return rows


def _texts(part: _Part, rows: Rows) -> Rows:
    rows["event"] -= part.events
    return rows


def _objects(part: _Part, rows: Rows) -> Rows:
    rows["flags"] = np.where(rows["birth"] < part.segments, BORN_BEFORE, 0)
    rows["birth"] = _segments(rows["birth"], part, 0)
    rows["frame"] = part.frame_ids(rows["frame"])
    return rows


def _deaths(part: _Part, rows: Rows) -> Rows:
    rows["seg"] = _segments(rows["seg"], part, 0)
    return rows


def _errors(part: _Part, rows: Rows) -> Rows:
    rows = rows[rows["seg"] >= part.segments]
    rows["seg"] -= part.segments
    rows["load"] -= part.rows("load")
    rows["store"] -= part.stores
    return rows


def _outputs(part: _Part, rows: Rows) -> Rows:
    rows = rows[rows["seg"] >= part.segments]
    rows["seg"] -= part.segments
    return rows


def _checkpoints(part: _Part, rows: Rows) -> Rows:
    for name, column in (("loads", "load"), ("bytes", "value"), ("addresses", "address"), ("words", "word")):
        rows[name] -= part.rows(column)
    for name, column in (("reads", "read"), ("events", "event"), ("escapes", "escape")):
        rows[name] -= part.rows(column)
    rows["stores"] -= part.stores
    rows["events"] += 1
    rows["frame"] = part.frame_ids(rows["frame"])
    rows["frames"] = rows["frames"] - part.frames + len(part.under_way)
    return rows


_CONVERSIONS: dict[str, Callable[[_Part, Rows], Rows]] = {
    "escape": _escapes,
    "frame": _frames,
    "read": _reads,
    "event": _events,
    "run": _runs,
    "text": _texts,
    "object": _objects,
    "death": _deaths,
    "error": _errors,
    "output": _outputs,
    "check": _checkpoints,
}


# --- frames that were under way ---------------------------------------------------------------------------------------


def _frames_under_way(home: Path, part: _Part, table: NDArray[np.int32]) -> Rows:
    """Rows of the frames under way: each begins with the first segment that ran in it; those without any are left out
    of the chain of callers."""
    rows = np.zeros(len(part.under_way), DTYPES["frame"])
    rows["base"], rows["object"] = part.under_way["base"], part.under_way["object"]
    rows["caller"], rows["parent"] = NO_SEGMENT, NO_FRAME
    may_jump = bool((table[:, 5] & SETJMP).any())
    first = (_first_segments_by_frame if may_jump else _first_segments)(home, part, table)
    outer = NO_FRAME
    for k, segment in enumerate(first):
        rows["entry"][k], rows["parent"][k] = max(segment, 0), outer
        outer = k if segment >= 0 else outer
    return rows


def _first_segments(home: Path, part: _Part, table: NDArray[np.int32]) -> list[int]:
    """The first segment of each frame under way, from the outermost on; -1 for those in which none ran."""
    first = [-1] * len(part.under_way)
    flags = table[:, 5]
    seg = _mapped(home / "seg", segment_type(len(table)))
    depth, lowest = len(first) - 1, len(first)
    for start in range(0, len(seg), _ROWS_AT_ONCE):
        here = flags[seg[start : start + _ROWS_AT_ONCE]]
        entered, left = (here & ENTRY != 0).astype(np.int64), (here & RET != 0).astype(np.int64)
        depths = depth + np.cumsum(entered) - np.cumsum(left) + left
        for level in range(min(int(depths.min()), lowest), lowest):
            if level >= 0:
                first[level] = start + int(np.argmax(depths <= level))
        lowest = min(lowest, int(depths.min()))
        depth = int(depths[-1]) - int(left[-1])
    return first


def _first_segments_by_frame(home: Path, part: _Part, table: NDArray[np.int32]) -> list[int]:
    """The same where longjmp may have ended several frames at once: found by the frame of each segment."""
    log, wanted = Log(home, table), set(range(len(part.under_way)))
    first = [-1] * len(part.under_way)
    for i in range(len(log)):
        frame = log.frame_of(i)
        if frame in wanted:
            first[frame] = i
            wanted.discard(frame)
    return first


def _translate_setjmp_frames(home: Path, part: _Part, table: NDArray[np.int32]) -> None:
    """Give the frames that are logged where setjmp returns the numbers of the part."""
    marked = table[:, 5] & SETJMP != 0
    if not marked.any():
        return
    seg = _mapped(home / "seg", segment_type(len(table)))
    check = np.fromfile(home / "check", DTYPES["check"])
    word = np.memmap(home / "word", DTYPES["word"], "r+")
    for k, row in enumerate(check):
        here = seg[k * WINDOW : (k + 1) * WINDOW]
        for j in np.flatnonzero(marked[here]):
            at = int(row["words"]) + int(table[here[:j], 4].sum())
            if at < len(word):
                word[at] = int(part.frame_ids(np.array([word[at]]))[0])
