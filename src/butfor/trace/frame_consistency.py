"""Whether each segment instance of a log runs in a frame of its own function: by a kernel and in Python."""

from __future__ import annotations

import ctypes

from butfor.ir.recording_segments import ENTRY, RET, SETJMP
from butfor.trace.kernel.kernel_run import KernelRun, kernels
from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import WINDOW
from butfor.trace.trace import Trace


def first_segment_out_of_place(trace: Trace) -> int | None:
    """The first segment instance whose frame cannot be the one of the log, None if there is none.

    The numbers in the column of segments and the callers of frames must have been checked.
    """
    if not len(trace.log):
        return None
    if kernels() is None:
        return out_of_place_by_python(trace.log)
    run = KernelRun(trace, lambda instr, guard: (0, 0, 0), {}, lambda node: [], lambda node: [])
    found = ctypes.c_int64(-1)
    run.call("bf_out_of_place", ctypes.byref(found))
    return None if found.value < 0 else found.value


def out_of_place_by_python(log: Log) -> int | None:
    """The same without the kernel."""
    table, frames, check = log.table, log.frame, log.check
    functions = [table[log.seg[e], 6] if e < len(log.seg) else -1 for e in frames["entry"].tolist()]
    entries, parents = frames["entry"].tolist(), frames["parent"].tolist()
    current, coming = int(check[0]["frame"]), int(check[0]["frames"])
    words = 0
    for i, segment in enumerate(log.seg.tolist()):
        here = check[i // WINDOW]
        if i % WINDOW == 0 and (int(here["frame"]), int(here["frames"])) != (current, coming):
            return i
        row = table[segment]
        if row[5] & ENTRY:
            caller, current, coming = current, coming, coming + 1
            if current >= len(entries) or (entries[current], parents[current]) != (i, caller):
                return i
        elif row[5] & SETJMP and words < len(log.word):
            current = int(log.word[words])
        if current >= len(entries) or functions[current] != row[6]:
            return i
        words += int(row[4])
        if row[5] & RET:
            current = parents[current]
    return None
