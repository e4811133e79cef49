"""Operands of a condition that its evaluation did not reach: a run in which it comes out otherwise needs them too.

`a || b` that held because of `a` is false only if `b` is false as well, whatever `b` would have given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Instr
from butfor.path.path_model import Path
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Places


@dataclass(frozen=True, slots=True)
class OperandNotEvaluated:
    """The branch on an operand, by its instruction in its function; how it has to go, and which time it would run."""

    branch: Instr
    holds: bool
    occurrence: int


def operands_not_evaluated(
    trace: Trace, places: Places, path: Path, position: int, decided: Node
) -> Iterator[OperandNotEvaluated]:
    """The operands that come after the one that decided a branch of the path, and lead to where the condition went."""
    i, n = decided
    fn = trace.at(i).fn
    began = path.nodes[position][0]
    went = trace.next_in_frame(i)
    taken = trace.at(went).seg.block if went >= 0 else -1
    for instr in fn.instrs:
        if instr.op != "br" or not instr.args or instr.index == n:
            continue
        if places.of_instr(fn, instr) != path.instances[position].place:
            continue
        succs = fn.blocks[instr.block].succs
        segment = trace.static.defining_segment(fn, instr.index)
        times = trace.log.positions(segment)
        before = int(times.searchsorted(i, side="right"))
        is_evaluated = before > 0 and int(times[before - 1]) >= began
        if len(succs) == 2 and taken in succs and not is_evaluated:
            yield OperandNotEvaluated(instr, succs[1] == taken, int(trace.log.dropped[segment]) + before + 1)
