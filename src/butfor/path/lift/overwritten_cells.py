"""Cells of a path that statements outside of the path write, where the path does not read them any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from butfor.ir.points_to.may_write import AbstractCell
from butfor.logic.terms import variables
from butfor.path.instance_uses import terms_of
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.path_model import CellBytes, Path

_INSTRUCTIONS_PER_SEGMENT = 1 << 20  # more than any has: a place in the run is one number


def overwritten_cells(run: LiftableRun, path: Path) -> Mapping[str, tuple[int, ...]]:
    """By name, the positions from which on a cell may hold what no instance of the path has written.

    Where the path reads the cell later, no such write can have come between: the value read is followed to its writer.
    """
    order = np.maximum.accumulate(np.array([i * _INSTRUCTIONS_PER_SEGMENT + n for i, n in path.nodes], dtype=np.int64))
    followed = {*path.nodes, *(act.node for act in path.acts.values())}
    found = {}
    for name, cell in path.ranges.items():
        uses = list(_uses(path, name))
        positions = {
            int(k)
            for at in _writes(run, cell, {i * _INSTRUCTIONS_PER_SEGMENT + n for i, n in followed})
            for k in np.unique(np.searchsorted(order, at))
        }
        dead = tuple(sorted(k for k in positions if not _is_read_next(uses, k)))
        if dead:
            found[name] = dead
    return found


def _writes(run: LiftableRun, cell: CellBytes, followed: set[int]) -> Iterator[NDArray[np.int64]]:
    """When instructions ran that may write a cell and are not on the path."""
    trace, may_define = run.recording.trace, run.dependence.potential_dependence.may_define
    for fn, instr in may_define.all_writers(AbstractCell(cell.home.key, cell.start - cell.home.start, cell.size)):
        segments = trace.log.positions(trace.static.defining_segment(fn, instr.index))
        at = segments.astype(np.int64) * _INSTRUCTIONS_PER_SEGMENT + instr.index
        since = cell.home.birth * _INSTRUCTIONS_PER_SEGMENT
        yield at[(at >= since) & ~np.isin(at, list(followed))]


def _uses(path: Path, name: str) -> Iterator[tuple[int, bool]]:
    """The positions at which a path reads or assigns a cell, and whether it reads it there."""
    for k, instance in enumerate(path.instances):
        if any(str(v.data) == name for v in variables(terms_of(instance))):
            yield k, True
        elif any(cell.name == name for cell, _ in instance.writes):
            yield k, False
    if any(str(v.data) == name for v in variables((path.check,))):
        yield len(path.instances), True


def _is_read_next(uses: list[tuple[int, bool]], position: int) -> bool:
    return next((is_read for k, is_read in uses if k >= position), False)
