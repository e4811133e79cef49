"""Paths from a branch to an instruction under one of its arms: what may run on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from butfor.ir.flow_graphs import successors
from butfor.ir.instructions import Function, Instr
from butfor.ir.natural_loops import Loops, natural_loops


class BranchPaths:
    """Paths through functions from a branch to what is under one of its arms."""

    def __init__(self) -> None:
        self._between: dict[tuple[str, int, int, int], frozenset[int]] = {}
        self._stores: dict[str, dict[int, list[Instr]]] = {}
        self._loops: dict[str, Loops] = {}

    def stores(self, fn: Function, slot: int) -> list[Instr]:
        """The stores to a local variable by its name."""
        found = self._stores.get(fn.name)
        if found is None:
            found = self._stores[fn.name] = {}
            for instr in fn.instrs:
                if instr.op == "store" and isinstance(instr.args[1], int):
                    found.setdefault(instr.args[1], []).append(instr)
        return found.get(slot, [])

    def repeats(self, fn: Function, branch: int, target: int, taken: int) -> bool:
        """Whether a branch that went to `taken` left a loop which `target` would have continued.

        Then more than one iteration may be missing.
        """
        loops = self._loops.get(fn.name)
        if loops is None:
            loops = self._loops[fn.name] = natural_loops(successors(fn))
        return any(branch in loop.body and target in loop.body and taken not in loop.body for loop in loops.loops)

    def between(self, fn: Function, branch: int, target: int, block: int, repeats: bool) -> frozenset[int]:
        """The blocks on the paths from `target` to a block, both included.

        The paths pass the branch again only if it repeats.
        """
        barrier = -1 if repeats else branch
        key = (fn.name, barrier, target, block)
        found = self._between.get(key)
        if found is None:
            forward = _reachable_blocks(target, barrier, lambda b: fn.blocks[b].succs)
            found = frozenset(forward & _reachable_blocks(block, barrier, lambda b: fn.blocks[b].preds))
            self._between[key] = found
        return found

    def comes_before(self, fn: Function, between: frozenset[int], writer: Instr, reader: Instr) -> bool:
        """Whether one instruction may run before another on these paths."""
        if writer.block not in between:
            return False
        return (
            writer.block != reader.block
            or writer.index < reader.index
            or any(s in between for s in fn.blocks[reader.block].succs)
        )


def _reachable_blocks(start: int, barrier: int, following: Callable[[int], Sequence[int]]) -> set[int]:
    seen = {start} - {barrier}
    work = list(seen)
    while work:
        for b in following(work.pop()):
            if b not in seen and b != barrier:
                seen.add(b)
                work.append(b)
    return seen
