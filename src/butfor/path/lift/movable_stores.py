"""Whether stores could have gone to the cells of a path that went elsewhere: then the path proves less."""

from __future__ import annotations

from collections import Counter

import numpy as np

from butfor.ir.instructions import Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place

MOVABLE = "stores to other places of the same objects are taken to go where they went"


def has_movable_stores(run: LiftableRun, path: Path) -> bool:
    """Whether a cell of the path may be written by a store of which not every execution is on the path."""
    may_define = run.dependence.potential_dependence.may_define
    cells = {AbstractCell(r.home.key, r.start - r.home.start, r.size) for r in path.ranges.values()}
    writers = {(fn.name, instr.index): (fn, instr) for cell in cells for fn, instr in may_define.computed_writers(cell)}
    if not writers:
        return False
    on_path: Counter[Place | None] = Counter(instance.place for instance in path.instances)
    return any(not _is_followed(run, on_path, fn, instr) for fn, instr in writers.values())


def _is_followed(run: LiftableRun, on_path: Counter[Place | None], fn: Function, instr: Instr) -> bool:
    """Whether all executions of a store are on the path, at least one; those of an arm not taken are not."""
    trace = run.recording.trace
    executed = np.flatnonzero(np.asarray(trace.log.seg) == trace.static.defining_segment(fn, instr.index))
    return len(executed) > 0 and on_path[run.places.of((int(executed[0]), instr.index))] >= len(executed)
