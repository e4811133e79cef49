"""Pointers to blocks that were freed: who takes them over after the free."""

from __future__ import annotations

from collections.abc import Sequence

from butfor.ir.instructions import Operand
from butfor.origins.run_words import RunWords
from butfor.trace.trace import Node, UnknownValue


def taken_over_after_free(words: RunWords, through: Sequence[Node], death: int) -> Node | None:
    """The first assignment, of those that a pointer went through, that copied the very variable that had been freed.

    `death` is the segment instance that freed the block. A pointer that was kept elsewhere before the free, and read
    from there later, was not taken over: there the free should have reset it.
    """
    freed = words.trace.at(death).call if death >= 0 else None
    if freed is None or not freed.args:
        return None
    cell = _cell_read(words, (death, freed.index), freed.args[0])
    copies = [n for n in through if n[0] > death and n[1] >= 0 and words.trace.instr(n).op == "store"]
    found = (n for n in reversed(copies) if _cell_read(words, n, words.trace.instr(n).args[0]) == cell)
    return next(found, None) if cell is not None else None


def _cell_read(words: RunWords, node: Node, operand: Operand) -> int | None:
    """The address of the variable whose value an operand of an instance is; None for other values."""
    at = words.definition(node[0], operand)
    if at is None or at[1] < 0 or words.trace.instr(at).op != "load":
        return None
    try:
        return int(words.trace.operand(at[0], words.trace.instr(at).args[0]))
    except UnknownValue:
        return None
