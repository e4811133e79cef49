"""Where local variables go out of scope, and come into scope again, from the blocks of the debug information.

Without optimisation the compiler marks no lifetimes, but every instruction says which block of the source it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from butfor.ir.instructions import Function, Instr
from butfor.ir.recording_segments import Layout
from butfor.libc.library import is_setjmp


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """A variable, by its slot, goes out of scope or comes into scope."""

    slot: int
    is_inside: bool


def scope_changes(
    fn: Function,
    layout: Layout,
    blocks: Mapping[int, int],
    enclosing: Mapping[int, Collection[int]],
    tracked: Collection[int],
) -> dict[int, list[ScopeChange]]:
    """The changes just before an instruction, by its index.

    `blocks` has the source block of each variable, `enclosing` the blocks around each `!dbg` node; `tracked` are the
    slots of the variables that matter. A variable counts as in scope until its block is left for the first time.
    """
    changes: dict[int, list[ScopeChange]] = {}
    for slot in sorted(set(tracked) & set(blocks) & set(layout.frame)):
        for index, is_inside in _changes_of(fn, blocks[slot], enclosing).items():
            changes.setdefault(index, []).append(ScopeChange(slot, is_inside))
    return changes


def _changes_of(fn: Function, block: int, enclosing: Mapping[int, Collection[int]]) -> dict[int, bool]:
    """Before which instructions control enters or leaves a block of the source."""

    def is_inside(instr: Instr) -> bool | None:
        around = enclosing.get(instr.loc)
        return None if around is None or instr.op == "phi" else block in around

    # What is known at the start of a block of code: inside, outside, or (both) either.
    known: list[set[bool]] = [set() for _ in fn.blocks]
    known[0] = {True}
    work = [0]
    while work:
        b = work.pop()
        leaving = _at_end(fn, b, known[b], is_inside)
        for s in fn.blocks[b].succs:
            if not leaving <= known[s]:
                known[s] |= leaving
                work.append(s)
    found: dict[int, bool] = {}
    for b, entering in enumerate(known):
        now = set(entering)
        for instr in fn.block_instrs(b):
            inside = is_inside(instr)
            if inside is not None and now and now != {inside}:
                found[instr.index] = inside
                now = {inside}
            if is_setjmp(instr.callee):
                now = {True, False}  # it may come back from anywhere
    return found


def _at_end(fn: Function, b: int, entering: set[bool], is_inside: Callable[[Instr], bool | None]) -> set[bool]:
    now = set(entering)
    for instr in fn.block_instrs(b):
        inside = is_inside(instr)
        if inside is not None:
            now = {inside}
        if is_setjmp(instr.callee):
            now = {True, False}
    return now
