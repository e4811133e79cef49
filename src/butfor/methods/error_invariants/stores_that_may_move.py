"""Whether stores could have gone to the cells of a story that went elsewhere: then its path proves less."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from butfor.ir.instructions import Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.logic.terms import Term, variables
from butfor.methods.case import FailingRun
from butfor.path.path_model import Path

MOVABLE = "stores to other places of the same objects are taken to go where they went"


def may_be_hit_elsewhere(case: FailingRun, path: Path, atoms: Iterable[Term]) -> bool:
    """Whether a cell that invariants speak of may be written by a store of which not every execution is on the path."""
    cells = {
        AbstractCell(r.home.key, r.start - r.home.start, r.size)
        for v in variables(tuple(atoms))
        if (r := path.ranges.get(str(v.data))) is not None
    }
    writers = {
        (fn.name, instr.index): (fn, instr)
        for cell in cells
        for fn, instr in case.dependence.potential_dependence.may_define.computed_writers(cell)
    }
    return any(not _is_followed(case, path, fn, instr) for fn, instr in writers.values())


def _is_followed(case: FailingRun, path: Path, fn: Function, instr: Instr) -> bool:
    """Whether all executions of a store are on the path, at least one; those of an arm not taken are not."""
    log = case.trace.log
    executed = np.flatnonzero(np.asarray(log.seg) == case.trace.static.defining_segment(fn, instr.index))
    if not len(executed):
        return False
    place = case.places.of((int(executed[0]), instr.index))
    return sum(instance.place == place for instance in path.instances) >= len(executed)
