"""Library calls that wrote less than they could have: `memset(p, 0, n)` with another n reaches other cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from butfor.ir.points_to.may_write import AbstractCell
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.overwritten_cells import Times, Uses, time_of, times_of_instances, uses_of_cells
from butfor.path.path_model import CellBytes, Path
from butfor.trace.log.record_layout import NO_SITE, EventKind
from butfor.trace.trace import Node, Trace

_WRITING = (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT)


def shorter_writes(run: LiftableRun, path: Path) -> list[Node]:
    """The calls that could have written a cell which the path reads next, and left it as it was."""
    uses, order = uses_of_cells(path), times_of_instances(path)
    found: dict[Node, None] = {}
    for name, cell in path.ranges.items():
        run.require_time()
        calls = _calls_before_a_read(run, cell, uses.get(name, []), order)
        found.update(dict.fromkeys(node for node in calls if not _wrote(run.recording.trace, node, cell)))
    return list(found)


def _calls_before_a_read(run: LiftableRun, cell: CellBytes, uses: Uses, order: Times) -> Iterator[Node]:
    """The calls in the life of a cell that may write it, and after which it is read before it is assigned.

    Their arguments say how much they write.
    """
    trace, home = run.recording.trace, cell.home
    positions, reads = np.array([p for p, _ in uses]), np.array([is_read for _, is_read in uses] + [False])
    may_define = run.dependence.potential_dependence.may_define
    for fn, instr in may_define.writers_of_any_length(AbstractCell(home.key, cell.start - home.start, cell.size)):
        ran = trace.log.positions(trace.static.defining_segment(fn, instr.index)).astype(np.int64)
        last = home.end or len(trace.log.seg)
        ran = ran[ran.searchsorted(home.birth) : ran.searchsorted(last, side="right")]
        after = order.searchsorted(ran * time_of(1, 0) + instr.index, side="right")
        is_owner = home.key[0] == "local" and fn.name == home.key[1]
        for i in ran[reads[positions.searchsorted(after)]].tolist():
            if not is_owner or trace.log.frame_of(i) == home.frame:
                yield i, instr.index


def _wrote(trace: Trace, node: Node, cell: CellBytes) -> bool:
    """Whether a call wrote all bytes of a cell."""
    left = set(range(cell.start, cell.end))
    for k in trace.log.events_of(node[0]):
        e = trace.log.event[k]
        if int(e["kind"]) in _WRITING and int(e["site"]) in (NO_SITE, node[1]):
            left -= set(range(max(int(e["addr"]), cell.start), min(int(e["addr"]) + int(e["len"]), cell.end)))
    return not left
