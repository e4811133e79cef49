"""Changes of statements of a run beyond their values: other inputs, other targets, other calls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from butfor.failures.memory_errors import checked_access
from butfor.methods.case import FailingRun
from butfor.path.execute.statement_changes import Change, ChangeKind, OpenCells, plain_changes
from butfor.path.lift.overwritten_cells import time_of, times_of_instances
from butfor.path.path_model import CellBytes, ObjectLife, Path
from butfor.trace.log.record_layout import NO_FRAME, NO_SEGMENT
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

MAX_STORES_PER_OBJECT = 400  # the latest ones: the last stores are the ones that a failure sees


def value_changes(case: FailingRun, path: Path) -> dict[Place, Change]:
    """The changes of values: by statements, macros and initialisers."""
    return plain_changes(path, case.places.macros, dict(_initialisers(case, path)))


def _initialisers(case: FailingRun, path: Path) -> Iterator[tuple[str, Place]]:
    """The initialisers of globals that a path begins with."""
    for name in path.initial:
        r = path.ranges.get(name)
        key = r.home.key if r is not None else ()
        if r is not None and len(key) == 2 and key[0] == "global":
            found = case.places.initialisers(str(key[1]), r.start - r.home.start)
            if found:
                yield name, found[0]


def structural_changes(case: FailingRun, path: Path) -> dict[Place, Change]:
    """For each statement whose change can do more than change values, all that it can do."""
    found: dict[Place, Change] = {}
    for change in (
        *value_changes(case, path).values(),
        *_inputs(path),
        Change(path.place, ChangeKind.FAILING, leads=True),
        *_calls(case, path),
        *_targets(case, path),
    ):
        known = found.get(change.place)
        found[change.place] = change if known is None else known.combined_with(change)
    return {place: change for place, change in found.items() if change.how.order >= ChangeKind.INPUT.order}


def _inputs(path: Path) -> Iterator[Change]:
    """Statements that read other inputs."""
    for k, instance in enumerate(path.instances):
        if (
            not instance.trusted
            and path.nodes[k][0] >= 0
            and (instance.inputs or any(term is None for _, term in instance.writes))
        ):
            yield Change(instance.place, ChangeKind.INPUT, frozenset((k,)), frozenset((k,)))


# --- calls ------------------------------------------------------------------------------------------------------------


def _calls(case: FailingRun, path: Path) -> Iterator[Change]:
    """Statements that call another function or none, so that the cells which the call assigned may have any value."""
    frames = case.trace.log.frame
    inside: dict[int, list[int]] = {}
    for k, instance in enumerate(path.instances):
        if path.nodes[k][0] >= 0:
            for frame in _frame_and_callers(frames["parent"], instance.frame):
                inside.setdefault(frame, []).append(k)
    leading = {case.trace.log.frame_of(case.point.node[0])} if case.point.node is not None else set()
    leading = {f for frame in leading for f in _frame_and_callers(frames["parent"], frame)}
    for frame in inside.keys() | leading:
        caller = int(frames["caller"][frame])
        if int(frames["parent"][frame]) == NO_FRAME or caller == NO_SEGMENT:
            continue
        call = case.trace.at(caller).call
        place = case.places.of((caller, call.index)) if call is not None else None
        if place is None:
            continue
        if frame in leading:
            yield Change(place, ChangeKind.CALL, leads=True)
            continue
        first, last = inside[frame][0], inside[frame][-1]
        cells = {
            cell.name
            for j in range(first, last + 1)
            for cell in (*(c for c, _ in path.instances[j].writes), *path.instances[j].frames)
        }
        yield Change(place, ChangeKind.CALL, effects=(OpenCells(last + 1, tuple(sorted(cells)), first),))


def _frame_and_callers(parents: NDArray[np.uint32], frame: int) -> Iterator[int]:
    """A frame and its callers, without the outermost one."""
    while frame != NO_FRAME and int(parents[frame]) != NO_FRAME:
        yield frame
        frame = int(parents[frame])


# --- targets ----------------------------------------------------------------------------------------------------------


def _targets(case: FailingRun, path: Path) -> Iterator[Change]:
    """Statements that stored into an object, but not into the cells of it that the path reads."""
    objects: dict[ObjectLife, list[CellBytes]] = {}
    for r in path.ranges.values():
        if r.home.end > r.home.start:
            objects.setdefault(r.home, []).append(r)
    times = times_of_instances(path).tolist()
    for home, ranges in objects.items():
        for node, size in _stores(case, home):
            place = case.places.of(node)
            cells = tuple(r.cell.name for r in ranges if r.size == size)
            if place is not None and cells:
                position = bisect_left(times, time_of(*node))
                yield Change(place, ChangeKind.TARGET, effects=(OpenCells(position, cells, position),))


def _stores(case: FailingRun, home: ObjectLife) -> Iterator[tuple[Node, int]]:
    """The stores into an object during its lifetime, or past its end, before the failure, with their sizes in bytes."""
    log, trace = case.trace.log, case.trace
    for e in log.error[:MAX_STORES_PER_OBJECT]:
        if int(e["is_write"]) and int(e["object"]) and int(log.object[int(e["object"])]["start"]) == home.start:
            missed = checked_access(trace, e)
            if trace.instr(missed).op == "store":
                yield missed, int(e["size"])
    until = case.point.node[0] if case.point.node is not None else len(trace) - 1
    first, end = log.counts_before(home.birth).addresses, log.counts_before(until).addresses
    there = log.address[first:end]
    for k in np.flatnonzero((there >= home.start) & (there < home.end))[-MAX_STORES_PER_OBJECT:].tolist():
        q, n = trace.store_of_address(first + k)
        s = trace.at(q)
        if s.fn.instrs[n].op == "store":
            yield (q, n), sum(s.layout.effects[n].stores)
