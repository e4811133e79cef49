"""Stores that wrote elsewhere and may have been meant for what a path reads: the wrong index, the wrong pointer.

They are no part of the failing path, which has only what the failure depends on. Whether another value would have
sent them to its cells, runs tell.
"""

from __future__ import annotations

from butfor.errors import ButforError
from butfor.ir.machine_types import store_size
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.lift_run import lift
from butfor.path.lift.movable_stores import movable_stores
from butfor.path.path_model import Path
from butfor.trace.trace import Node

MAX_STORES_FOLLOWED = 400  # the latest of them: with what they depend on they make a path several times as long
MAX_WRITES_LOOKED_AT = 400  # through pointers to other objects, the latest


def with_misdirected_stores(run: LiftableRun, path: Path, *, free_inputs: bool) -> Path:
    """The path, and on it stores that went elsewhere with all that they depend on; the same if there are none."""
    stores = [node for node in movable_stores(run, path) if node[0] >= 0]
    found = [*dict.fromkeys((*stores, *_through_other_pointers(run, path)))]
    if not found:
        return path
    latest = sorted(found)[-MAX_STORES_FOLLOWED:]
    try:
        return lift(run, free_inputs, also=latest)
    except ButforError:
        return path


def _through_other_pointers(run: LiftableRun, path: Path) -> list[Node]:
    """Stores by way of a pointer to another object, at the place where one of the same size has a cell of the path."""
    log, trace = run.recording.trace.log, run.recording.trace
    cells = {(r.home.end - r.home.start, r.start - r.home.start, r.end - r.start) for r in path.ranges.values()}
    lives = {r.home.life for r in path.ranges.values()}
    last = len(trace) - 1 if run.point.node is None else run.point.node[0]
    until = log.counts_before(last).addresses
    followed = path.followed
    found = []
    for number in range(max(until - MAX_WRITES_LOOKED_AT, 0), until):
        node = trace.store_of_address(number)
        instr = trace.instr(node)
        if instr.op != "store" or node in followed:
            continue
        address = int(log.address[number])
        home = run.dependence.potential_dependence.objects.at(address, node[0])
        if home is None or (home.key, home.start, home.birth) in lives or not _through_variable(run, node):
            continue
        if (home.end - home.start, address - home.start, store_size(instr.detail)) in cells:
            found.append(node)
    return found


def _through_variable(run: LiftableRun, node: Node) -> bool:
    """Whether the address of a store comes from a pointer that was read, as it is or with a member's offset."""
    trace = run.recording.trace
    slot = trace.instr(node).args[1]
    while isinstance(slot, int):
        node = trace.definition(node[0], slot)
        instr = trace.instr(node) if node[1] >= 0 else None
        if instr is None or instr.op != "gep":
            return instr is None or instr.op == "load"
        slot = instr.args[0]
    return False
