"""Decisions that are only a part of a condition: another operand does something besides, so that the two stay apart."""

from __future__ import annotations

from butfor.encode.justification import Justifier
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Places


def is_part_of_condition(trace: Trace, justifier: Justifier, decided: Node, places: Places) -> bool:
    """Whether another decision belongs to the same condition of the source, as in `a && b++`.

    Then what one of them gave is not what the whole condition gave.
    """
    decision, _ = justifier.decision_of(decided)
    s = trace.at(decided[0])
    own = set(decision.blocks) if decision is not None else {s.seg.block}
    place = places.of_instr(s.fn, trace.instr(decided))
    others = (b.index for b in s.fn.blocks if len(set(b.succs)) > 1 and b.index not in own)
    return place is not None and any(places.of_instr(s.fn, s.fn.terminator(b)) == place for b in others)
