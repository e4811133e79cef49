"""Stores that are not on a path although they could have gone to its cells: then the path proves less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from butfor.ir.instructions import Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.path.lift.cell_memory import NOT_FOLLOWED
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.shorter_writes import shorter_writes
from butfor.path.path_model import Path
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.sliced_instances import Slice
from butfor.trace.trace import Node

MOVABLE = "stores to other places of the same objects are taken to go where they went"
_OWN_CALLS = ("internal", "pure")  # kinds of calls that bring nothing in by themselves
MAX_STORES_BY_ADDRESS = 2_000  # of more of them all that they depend on is taken, not just what their addresses do


def without_movable_stores(run: LiftableRun, path: Path) -> Path:
    """The path, which says so if it leaves out stores that could have gone to its cells, or anything else."""
    stores = movable_stores(run, path)
    everything = frozenset(instance.place for instance in path.instances)
    deciding = _what_moves(run, stores)
    if NOT_FOLLOWED in path.approximate or (deciding is not None and not deciding.followed_all):
        unsure = everything
    else:
        nearest = () if deciding is None else (row.nearest for row in deciding.totals())
        unsure = frozenset(p for node in nearest if (p := run.places.of(node)) is not None)
    return replace(
        path,
        approximate=(*path.approximate, MOVABLE) if stores else path.approximate,
        unsure=unsure,
        inputs_move_stores=deciding is not None and _depends_on_inputs(run, deciding),
    )


def movable_stores(run: LiftableRun, path: Path) -> list[Node]:
    """The executions of stores that may write a cell of the path, of those that are not on it.

    Those in arms that were not taken have none, so the position of the store stands for them. Library calls that could
    have written more count even if they are on the path, which only has what they wrote.
    """
    may_define = run.dependence.potential_dependence.may_define
    cells = {AbstractCell(r.home.key, r.start - r.home.start, r.size) for r in path.ranges.values()}
    writers = {(fn.name, instr.index): (fn, instr) for cell in cells for fn, instr in may_define.computed_writers(cell)}
    on_path = path.followed
    found: list[Node] = []
    for fn, instr in writers.values():
        executed = _executions(run, fn, instr)
        found += [node for node in executed if node not in on_path] if executed else [(-1, instr.index)]
    return list(dict.fromkeys((*found, *shorter_writes(run, path))))


def _executions(run: LiftableRun, fn: Function, instr: Instr) -> list[Node]:
    trace = run.recording.trace
    segments = np.asarray(trace.log.seg) == trace.static.defining_segment(fn, instr.index)
    return [(int(i), instr.index) for i in np.flatnonzero(segments)]


def _what_moves(run: LiftableRun, stores: Sequence[Node]) -> Slice | None:
    """All on which it depends where these stores went and whether they were executed; None if that is nothing."""
    executed = [node for node in stores if node[0] >= 0]
    roots = executed
    if len(executed) <= MAX_STORES_BY_ADDRESS:
        roots = [*dict.fromkeys(root for node in executed for root in _deciding_where(run, node))]
    return Slicer(run.dependence, run.is_over).backward(roots) if roots else None


def _depends_on_inputs(run: LiftableRun, found: Slice) -> bool:
    """Whether a slice comes to anything from outside: results of library calls, parameters of main, its strings."""
    if not found.followed_all or any(run.objects.globals.at(address) is None for address in found.initial):
        return True
    return any(_is_from_outside(run, row.nearest) for row in found.totals())


def _is_from_outside(run: LiftableRun, node: Node) -> bool:
    trace = run.recording.trace
    if node[1] < 0:
        call = trace.call_of(node[0])
        return call is None or not trace.is_direct_call(call, trace.at(node[0]).fn)
    return trace.instr(node).op == "call" and trace.at(node[0]).layout.kinds[node[1]] not in _OWN_CALLS


def _deciding_where(run: LiftableRun, node: Node) -> list[Node]:
    """The instances that gave the address of a store, and the decision on which it was executed."""
    control = run.dependence.control(node[0])
    deciding = [] if control is None else [control]
    if run.recording.trace.instr(node).op != "store":  # a call writes through one of its arguments
        return [*deciding, node]
    return deciding + [target for edge, target in run.dependence.edges(node) if edge == "address" and target[1] >= 0]
