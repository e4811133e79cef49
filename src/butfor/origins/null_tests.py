"""Decisions that looked at a null pointer before it was used."""

from __future__ import annotations

from butfor.origins.failing_access import FailingAccess
from butfor.origins.run_words import RunWords
from butfor.origins.value_origins import Origin
from butfor.trace.trace import Node

_MAX_SEGMENTS_SEARCHED = 3_000  # of the failing call, for a check of the pointer


def decision_that_saw_null(words: RunWords, node: Node, access: FailingAccess) -> Node | None:
    """The last decision of the failing call that found the pointer null, if nothing has assigned it since."""
    i, base = node[0], access.base
    if base is None or not access.base_name:
        return None
    for _ in range(_MAX_SEGMENTS_SEARCHED):
        i = words.log.previous_in_frame(i)
        if i < 0:
            return None
        branch = (i, words.trace.at(i).last.index)
        if not words.trace.instr(branch).is_conditional:
            continue
        seen = next((leaf for leaf in words.leaves(branch) if leaf.name == access.base_name), None)
        if seen is not None:
            same = words.origins.of(seen.node).through == words.origins.of(base).through
            return branch if same and words.number(seen.node) == 0 else None
    return None


def is_tested_before_use(words: RunWords, node: Node, access: FailingAccess, origin: Origin) -> bool:
    """Whether a decision of the failing call looked at the pointer of an access; also where that is too far to tell."""
    i = node[0]
    since = max((n[0] for n in origin.through if n[0] < i), default=0)
    for _ in range(_MAX_SEGMENTS_SEARCHED):
        i = words.log.previous_in_frame(i)
        if i < 0:
            return False
        last = words.trace.at(i).last
        if i >= since and last.is_two_way and access.base_name in {x.name for x in words.leaves((i, last.index))}:
            return True
    return True
