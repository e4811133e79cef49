"""Decisions that are only a part of a condition: another operand does something besides, so that the two stay apart."""

from __future__ import annotations

from collections.abc import Callable

from butfor.encode.justification import Justifier
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place

MAX_SEGMENTS_BETWEEN_OPERANDS = 8  # calls and joins; operands that are farther apart are rare


def is_part_of_condition(
    trace: Trace, justifier: Justifier, decided: Node, place_of: Callable[[Node], Place | None]
) -> bool:
    """Whether another decision of the same condition ran just before or after one, as in `a && b++`.

    Then what one of them gave is not what the whole condition gave.
    """
    decision, _ = justifier.decision_of(decided)
    own = set(decision.blocks) if decision is not None else {trace.at(decided[0]).seg.block}
    place = place_of(decided)
    for following in (trace.next_in_frame, trace.log.previous_in_frame):
        i = decided[0]
        for _ in range(MAX_SEGMENTS_BETWEEN_OPERANDS):
            i = following(i)
            if i < 0:
                break
            s = trace.at(i)
            block = s.fn.blocks[s.seg.block]
            if len(set(block.succs)) > 1:
                if s.seg.block not in own and place_of((i, block.end - 1)) == place:
                    return True
                if s.seg.block not in own:
                    break
    return False
