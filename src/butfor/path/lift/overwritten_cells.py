"""Cells of a path that statements outside of the path write, where the path does not read them any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from butfor.ir.instructions import Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.logic.terms import variables
from butfor.path.instance_uses import terms_of
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.path_model import CellBytes, Path

Times = NDArray[np.int64]
Uses = list[tuple[int, bool]]

_INSTRUCTIONS_PER_SEGMENT = 1 << 20  # more than any has: a place in the run is one number
_MAX_STORES_BY_FRAME = 100_000  # of one variable; if there are more, those of other calls count too


def overwritten_cells(run: LiftableRun, path: Path) -> Mapping[str, tuple[int, ...]]:
    """By name, the positions from which on a cell may hold what no instance of the path has written.

    Where the path reads the cell later, no such write can have come between: the value read is followed to its writer.
    """
    order = times_of_instances(path)
    writes = _OtherWrites(run, path)
    uses = uses_of_cells(path)
    found = {}
    for name, cell in path.ranges.items():
        run.require_time()
        times = writes.of(cell)
        positions = tuple(p for since, until in _unread(uses[name]) for p in _first(order, times, since, until))
        if positions:
            found[name] = positions
    return found


def times_of_instances(path: Path) -> Times:
    """When the instances of a path were done, ascending."""
    return np.maximum.accumulate(np.array([time_of(i, n) for i, n in path.nodes], dtype=np.int64))


def time_of(i: int, n: int) -> int:
    """A place in the run as one number."""
    return i * _INSTRUCTIONS_PER_SEGMENT + n


def uses_of_cells(path: Path) -> Mapping[str, Uses]:
    """For each cell the positions at which the path reads or assigns it, and whether it reads it there."""
    found: defaultdict[str, Uses] = defaultdict(list)
    for k, instance in enumerate(path.instances):
        read = {str(v.data) for v in variables(terms_of(instance))}
        for name in read:
            found[name].append((k, True))
        for cell, _ in instance.writes:
            found[cell.name].append((k, False))
    for v in variables((path.check,)):
        found[str(v.data)].append((len(path.instances), True))
    return found


def _unread(uses: Uses) -> Iterator[tuple[int, int | None]]:
    """The uses of a cell after which it is not read before it is assigned again, with that assignment."""
    for k, (position, _) in enumerate(uses):
        if k + 1 == len(uses):
            yield position, None
        elif not uses[k + 1][1]:
            yield position, uses[k + 1][0]


def _first(order: Times, times: Times, since: int, until: int | None) -> Iterator[int]:
    """The position of the first of some times that come between two positions, if there is one."""
    if since >= len(order):
        return
    k = int(times.searchsorted(order[since], side="right"))
    if k == len(times):
        return
    position = int(order.searchsorted(times[k]))
    if until is None or position <= until:
        yield max(position, since + 1)


class _OtherWrites:
    """When instructions ran that may write a cell and are not on the path, ascending."""

    def __init__(self, run: LiftableRun, path: Path) -> None:
        self.trace = run.recording.trace
        self.may_define = run.dependence.potential_dependence.may_define
        followed = path.followed
        self.followed = np.array(sorted(time_of(i, n) for i, n in followed), dtype=np.int64)
        self._named = cache(self._by_name)
        self._computed = cache(self._by_pointer)

    def of(self, cell: CellBytes) -> Times:
        """Those in the life of a cell."""
        home = cell.home
        abstract = AbstractCell(home.key, cell.start - home.start, cell.size)
        by_frame = self._named(abstract)
        named = by_frame.get(home.frame, by_frame.get(None))
        found = np.sort(np.concatenate([self._computed(abstract), *([] if named is None else [named])]))
        end = home.end or len(self.trace.log.seg)
        return found[found.searchsorted(time_of(home.birth, 0)) : found.searchsorted(time_of(end + 1, 0))]

    def _by_name(self, cell: AbstractCell) -> Mapping[int | None, Times]:
        """The writes to the variable itself: those of each call, or under None all of them."""
        times = self._times(self.may_define.named_writers(cell))
        if cell.key[0] != "local" or len(times) > _MAX_STORES_BY_FRAME:
            return {None: times}
        frames = [self.trace.log.frame_of(t // _INSTRUCTIONS_PER_SEGMENT) for t in times.tolist()]
        rows: defaultdict[int | None, list[int]] = defaultdict(list)
        for frame, time in zip(frames, times.tolist(), strict=True):
            rows[frame].append(time)
        return {frame: np.array(row, dtype=np.int64) for frame, row in rows.items()}

    def _by_pointer(self, cell: AbstractCell) -> Times:
        return self._times(self.may_define.computed_writers(cell))

    def _times(self, writers: list[tuple[Function, Instr]]) -> Times:
        found = [np.empty(0, dtype=np.int64)]
        for fn, instr in writers:
            segments = self.trace.log.positions(self.trace.static.defining_segment(fn, instr.index))
            found.append(segments.astype(np.int64) * _INSTRUCTIONS_PER_SEGMENT + instr.index)
        return np.setdiff1d(np.concatenate(found), self.followed)
