"""Stores that are no part of a failing path, which has only what the failure depends on, but of some other one.

A store that wrote elsewhere may have been meant for what the path reads: the wrong index, the wrong pointer. A store
that an arm of the path overwrote is read where the arm does not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from butfor.errors import ButforError
from butfor.ir.machine_types import store_size
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.lift_run import lift
from butfor.path.lift.movable_stores import movable_stores
from butfor.path.path_model import BRANCH, Path
from butfor.trace.trace import Node

NOT_WIDENED = "stores that do not matter in this run are left out, though with a change they might"
MAX_INSTANCES_WIDENED = 4_000  # of a path: to lift it once more takes about a second then
MAX_STORES_FOLLOWED = 400  # with what they depend on they make a path several times as long
MAX_WRITES_LOOKED_AT = 400  # through pointers to other objects, the latest


def with_misdirected_stores(run: LiftableRun, path: Path, *, free_inputs: bool) -> Path:
    """The path, and on it stores that went elsewhere with all that they depend on; the same if there are none."""
    return _with_stores(run, path, _misdirected(run, path), free_inputs)


def with_stores_left_out(run: LiftableRun, path: Path, *, free_inputs: bool) -> Path:
    """The path, and on it stores that went elsewhere, and those whose value is kept where an arm does not run."""
    return _with_stores(run, path, [*_misdirected(run, path), *_kept_by_other_arms(run, path)], free_inputs)


def _with_stores(run: LiftableRun, path: Path, stores: Sequence[Node], free_inputs: bool) -> Path:
    """The path with these stores on it; or as it is, but it says so."""
    if not stores:
        return path
    found = sorted(dict.fromkeys(stores))
    if len(path.instances) <= MAX_INSTANCES_WIDENED and len(found) <= MAX_STORES_FOLLOWED:
        try:
            return lift(run, free_inputs, also=found)
        except ButforError:
            pass
    return replace(path, approximate=(*path.approximate, NOT_WIDENED))


def _kept_by_other_arms(run: LiftableRun, path: Path) -> list[Node]:
    """The stores before branches whose arms assign the same cells."""
    trace, hypothetical = run.recording.trace, run.dependence.potential_dependence.hypothetical
    followed = path.followed
    seen: set[tuple[int, str]] = set()
    found: dict[Node, None] = {}
    for instance in path.instances:
        for cell, _ in instance.writes:
            for branch in reversed(instance.scope):
                if (branch, cell.name) in seen:
                    break
                seen.add((branch, cell.name))
                r, act = path.ranges.get(cell.name), path.acts.get((branch, BRANCH))
                arm = -1 if r is None or act is None else trace.next_in_frame(act.node[0])
                store = None if r is None or arm < 0 else hypothetical.last_store(arm, r.start, r.end - r.start)
                if store is not None and store not in followed:
                    found[store] = None
    return list(found)


def _misdirected(run: LiftableRun, path: Path) -> list[Node]:
    stores = [node for node in movable_stores(run, path) if node[0] >= 0]
    return [*stores, *_through_other_pointers(run, path)]


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
