"""Whether the columns of a recording fit together and fit its program: a file may come from anywhere.

What reads a log relies on what the runtime that wrote it guarantees: numbers of rows are in range, counts add up, a
frame runs one function. Recordings in files are asked for that before anything else reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.errors import RecordingError
from butfor.ir.program import Program
from butfor.trace.frame_consistency import first_segment_out_of_place
from butfor.trace.log.columns import EndReason, Log
from butfor.trace.log.record_layout import (
    ESCAPED,
    FIRST_EVENT_ID,
    FIRST_READ_ID,
    NO_FRAME,
    NO_SEGMENT,
    NO_SITE,
    WINDOW,
    ErrorKind,
    EventKind,
    ObjectKind,
    byval_parameter,
)
from butfor.trace.trace import Trace

_SEGMENTS_AT_ONCE = 1024 * WINDOW
_LOADS_AT_ONCE = 1 << 24
_COUNTED = ("loads", "stores", "bytes", "addresses", "words")  # in the order of the segment table
_MAX_PARTS_OF_READ = 8  # an irregular read has at most 8 bytes, each of which may have a writer of its own

Rows = NDArray[Any]


def check_consistency(trace: Trace) -> None:
    """Raise a RecordingError that names the first thing in a recording that cannot be true."""
    log = trace.log
    _check_table(trace.program, log)
    _check_end(log)
    _check_checkpoints(log)
    _check_frames(trace)
    _check_escapes(log)
    _check_irregular_reads(log)
    _check_events(trace)
    _check_texts(log)
    _check_objects(trace)
    _check_errors(trace)
    _check_output(log)


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise RecordingError(
            f"the recording contradicts itself: {what}", hint="it is damaged, or butfor did not make it"
        )


def _require_rows(holds: Rows, what: str) -> None:
    """Raise a RecordingError that names the first row for which something does not hold."""
    if not holds.all():
        _require(False, f"{what} {int(np.argmin(holds))}")


# --- the program ------------------------------------------------------------------------------------------------------


def _check_table(program: Program, log: Log) -> None:
    """Compare the segment table with the program, for all functions of which anything ran."""
    table = log.table
    _require(table.ndim == 2 and table.shape[1] == 7 and table.dtype == np.int32, "the shape of the segment table")
    owners = table[:, 6]
    in_order = len(owners) == 0 or (owners[0] >= 0 and owners[-1] < len(program.names) and (np.diff(owners) >= 0).all())
    _require(in_order, "the segment table names functions that are not there")
    for first in range(0, len(log.seg), _SEGMENTS_AT_ONCE):
        _require_rows(log.seg[first : first + _SEGMENTS_AT_ONCE] < len(table), "the number of a segment, after")
    for owner in np.unique(owners[log.counts > 0]).tolist():
        _check_function(program, log, owner)


def check_all_functions(trace: Trace) -> None:
    """Raise a RecordingError if the segments of some function, executed or not, are not those of its code."""
    for owner in range(len(trace.program.names)):
        _check_function(trace.program, trace.log, owner)


def _check_function(program: Program, log: Log, owner: int) -> None:
    first, end = np.searchsorted(log.table[:, 6], [owner, owner + 1])
    _require(
        np.array_equal(log.table[first:end], _expected_rows(program, owner)),
        f"the segments of {program.names[owner]}() are not those of its code",
    )


def _expected_rows(program: Program, owner: int) -> NDArray[np.int32]:
    name = program.names[owner]
    rows = [(s.loads, s.stores, s.bytes, s.addresses, s.words, s.flags, owner) for s in program.layout(name).segments]
    return np.array(rows, np.int32).reshape(-1, 7)


# --- counts -----------------------------------------------------------------------------------------------------------


def _check_end(log: Log) -> None:
    end = log.end
    _require(end.reason in tuple(EndReason), "how the run ended")
    _require(0 <= end.segments <= len(log.seg), "the number of segments at the end")
    _require(0 <= end.loads <= len(log.load), "the number of loads at the end")
    _require(end.stopped >= 0 and 0 <= end.fault < 2**64, "numbers at the end")
    _require((log.dropped >= 0).all(), "how often segments ran before the recorded part")


def _check_checkpoints(log: Log) -> None:
    """Compare each checkpoint with the sums of what the segments before it log."""
    check = log.check
    _require(len(check) == -(-len(log.seg) // WINDOW), "the number of checkpoints")
    before = np.zeros(len(_COUNTED), np.int64)
    skipped = 0  # numbers of stores that the last part of a long run leaves out, so that older stores are far away
    for first in range(0, len(log.seg), _SEGMENTS_AT_ONCE):
        rows = log.table[log.seg[first : first + _SEGMENTS_AT_ONCE], :5].astype(np.int64)
        sums = np.add.reduceat(rows, np.arange(0, len(rows), WINDOW), axis=0)
        starts = before + np.vstack([np.zeros((1, 5), np.int64), np.cumsum(sums, axis=0)])
        here = check[first // WINDOW : first // WINDOW + len(sums)]
        more = here["stores"].astype(np.int64) - starts[:-1, 1] if log.is_last_part else np.zeros(len(here), np.int64)
        _require_rows(np.diff(more, prepend=skipped) >= 0, "stores at a checkpoint:")
        skipped = int(more[-1])
        for k, name in enumerate(_COUNTED):
            expected = starts[:-1, k] + (more if name == "stores" else 0)
            _require_rows(here[name].astype(np.uint64) == expected.astype(np.uint64), f"{name} at a checkpoint:")
        before = starts[-1]
    if len(log.seg):  # the last segment may have been left in the middle
        before[1] += skipped
        least = before - log.table[log.seg[-1], :5]
        there = (len(log.load), log.end.stores, len(log.value), len(log.address), len(log.word))
        _require(all(n >= low for n, low in zip(there, least, strict=True)), "columns are too short")
        _require(log.end.stores <= before[1] and log.end.loads <= before[0], "more was accessed than by its segments")
    for name, column in (("reads", log.read), ("events", log.event), ("escapes", log.escape)):
        counts = check[name].astype(np.int64)
        _require((np.diff(counts) >= 0).all() and (counts <= len(column)).all(), f"{name} at checkpoints")


def _check_frames(trace: Trace) -> None:
    log = trace.log
    frame = log.frame
    number = np.arange(len(frame))
    parent, caller, entry = (frame[name].astype(np.int64) for name in ("parent", "caller", "entry"))
    _require_rows((parent < number) | (parent == NO_FRAME), "the caller of frame")
    _require_rows((caller < entry) | (caller == NO_SEGMENT) | (parent == NO_FRAME), "the place of the call of frame")
    _require_rows((entry < len(log.seg)) | (entry == 0), "the beginning of frame")
    _require_rows(frame["object"] <= len(log.object), "the first object of frame")
    wrong = first_segment_out_of_place(trace)
    _require(wrong is None, f"the frame of segment {wrong}")


def _check_escapes(log: Log) -> None:
    """Compare the long writer ids with the marks of the loads that have one."""
    boundaries = log.check["loads"].astype(np.int64)
    expected = np.zeros(len(boundaries), np.int64)
    count = 0
    for first in range(0, len(log.load), _LOADS_AT_ONCE):
        places = np.flatnonzero(log.load[first : first + _LOADS_AT_ONCE] == ESCAPED) + first
        low = np.searchsorted(boundaries, first)
        high = np.searchsorted(boundaries, first + _LOADS_AT_ONCE)
        expected[low:high] = count + np.searchsorted(places, boundaries[low:high])
        count += len(places)
        expected[high:] = count
    _require(count <= len(log.escape), "loads whose writer is missing")
    _require_rows(log.check["escapes"] == expected, "the writers of loads at checkpoint")
    _require_rows(_are_writers(log, log.escape), "the writer of a load:")


def _are_writers(log: Log, ids: Rows) -> Rows:
    """Which of these writer ids name a store, an irregular read or an event of the run."""
    wide = ids.astype(np.int64)
    number = (wide & 0x3FFFFFFF) >> 3
    is_store, is_event = wide < FIRST_READ_ID, wide >= FIRST_EVENT_ID
    is_read = ~is_store & ~is_event
    known = is_store & (wide >> 3 <= log.end.stores)
    known |= is_read & (number > 0) & (number <= len(log.read))
    result: Rows = known | (is_event & (number > 0) & (number <= len(log.event)))
    return result


# --- rows that refer to others ----------------------------------------------------------------------------------------


def _check_irregular_reads(log: Log) -> None:
    read, run = log.read, log.run
    _require_rows(_are_writers(log, run["id"]), "the writer of bytes:")
    _require_rows((read["size"] >= 1) & (read["size"] <= 8), "the size of irregular read")
    _require_rows(read["seg"] <= len(log.seg), "the place of irregular read")
    _require_rows(read["event"] <= len(log.event), "the call before irregular read")
    _require_rows((read["runs"] >= 1) & (read["runs"] <= _MAX_PARTS_OF_READ), "the parts of irregular read")
    is_whole = read["runs"] == 1
    _require_rows(~is_whole | _are_writers(log, read["source"]), "the writer of irregular read")
    source = np.where(is_whole, 0, read["source"].astype(np.int64))
    count = np.where(is_whole, 0, read["runs"].astype(np.int64))
    _check_runs(log, source, count, read["size"].astype(np.int64), "irregular read")


def _check_runs(log: Log, first: Rows, count: Rows, size: Rows, what: str) -> None:
    """Compare the runs of bytes that rows have with their size: the first begins at 0, each ends where the next begins.

    Rows share no runs, so all of them together are no more than there are runs.
    """
    _require_rows(first + count <= len(log.run), f"the runs of {what}")
    _require(int(count.sum()) <= len(log.run), f"the runs of each {what}")
    having = np.flatnonzero(count)
    if not len(having):
        return
    offsets = log.run["offset"].astype(np.int64)
    first, count, size = first[having], count[having], size[having]
    _require_rows(offsets[first] == 0, f"where the runs begin of {what}")
    _require_rows(offsets[first + count - 1] < np.maximum(size, 1), f"where the runs end of {what}")
    for at in _steps(first, count):
        _require((offsets[at] > offsets[at - 1]).all(), f"the order of the runs of {what}")


def _steps(first: Rows, count: Rows) -> Iterator[Rows]:
    """The rows of all runs but the first of each, some at a time."""
    rest = count - 1
    for low in range(0, len(first), 1 << 20):
        f, n = first[low : low + (1 << 20)], rest[low : low + (1 << 20)]
        starts = np.repeat(f + 1 - (np.cumsum(n) - n), n)
        yield starts + np.arange(len(starts))


def _check_events(trace: Trace) -> None:
    log, event = trace.log, trace.log.event
    kinds = np.array([int(kind) for kind in EventKind])
    _require_rows(np.isin(event["kind"], kinds), "the kind of event")
    _require_rows(event["seg"] <= len(log.seg), "the place of event")
    _require_rows(_are_sites(trace, event["seg"], event["site"].astype(np.int64)), "the instruction of event")
    _check_runs(
        log, event["run"].astype(np.int64), event["runs"].astype(np.int64), event["len"].astype(np.int64), "event"
    )


def _check_texts(log: Log) -> None:
    of = log.text["event"].astype(np.int64)
    _require_rows((of >= 1) & (of <= len(log.event)), "the call of text")
    _require((np.diff(of) >= 0).all(), "the order of texts")


def _are_sites(trace: Trace, seg: Rows, site: Rows) -> Rows:
    """Which of these are instructions of the functions to which the segment instances belong, or none."""
    log = trace.log
    known: Rows = site == NO_SITE
    if len(log.seg):
        segments = log.seg[np.minimum(seg, len(log.seg) - 1)]
        known |= site < _instruction_counts(trace)[log.table[segments, 6]]
    return known


def _instruction_counts(trace: Trace) -> NDArray[np.int64]:
    """How many instructions each function has of which anything ran."""
    counts = np.zeros(len(trace.program.names), np.int64)
    for owner in np.unique(trace.log.table[trace.log.counts > 0, 6]).tolist():
        counts[owner] = len(trace.program.function(trace.program.names[owner]).instrs)
    return counts


def _check_objects(trace: Trace) -> None:
    log, o = trace.log, trace.log.object
    _require(len(o) > len(trace.program.global_table), "objects are missing")
    rest = o[1:]
    kinds = np.array([int(kind) for kind in ObjectKind])
    _require_rows(np.isin(rest["kind"], kinds), "the kind of object 1 +")
    _require_rows(rest["birth"] <= len(log.seg), "the birth of object 1 +")
    _require_rows((rest["frame"] < len(log.frame)) | (rest["frame"] == NO_FRAME), "the frame of object 1 +")
    _require_rows(rest["start"] + rest["size"] >= rest["start"], "the size of object 1 +")
    is_global = rest["kind"] == ObjectKind.GLOBAL
    count = len(trace.program.global_table)
    _require(is_global[:count].all() and not is_global[count:].any(), "which objects are global")
    sizes = np.array([size for _, size in trace.program.global_table], np.uint64)
    _require_rows(rest["size"][:count] == sizes, "the size of global variable")
    _require_rows(is_global | _are_object_sites(trace, rest), "the place of object 1 +")
    _require_rows(log.death["object"] < len(o), "the object of death")
    _require_rows(log.death["seg"] <= len(log.seg), "the place of death")


def _are_object_sites(trace: Trace, rows: Rows) -> Rows:
    """Which of these objects say a variable, or parameter, of the function that made them, or none."""
    site = rows["site"].astype(np.int64)
    known = _are_sites(trace, rows["birth"], site)
    parameters = np.array([byval_parameter(int(s)) is not None for s in np.unique(site)])
    is_parameter = np.isin(site, np.unique(site)[parameters]) if len(parameters) else np.zeros(len(site), bool)
    return known | is_parameter


def _check_errors(trace: Trace) -> None:
    log, error = trace.log, trace.log.error
    kinds = np.array([int(kind) for kind in ErrorKind])
    _require_rows(np.isin(error["kind"], kinds), "the kind of error")
    _require_rows(error["object"] < max(len(log.object), 1), "the object of error")
    _require_rows(error["seg"] <= len(log.seg), "the place of error")
    site = error["site"].astype(np.int64) - 1
    _require_rows((site < 0) | _are_sites(trace, error["seg"], site), "the instruction of error")


def _check_output(log: Log) -> None:
    output = log.output
    _require_rows(output["piece"].astype(np.int64) + output["pieces"] <= len(log.piece), "the pieces of output")
    _require_rows(output["seg"] <= len(log.seg), "the place of output")
    _require_rows(log.piece["start"] <= log.piece["end"], "the bounds of piece")
