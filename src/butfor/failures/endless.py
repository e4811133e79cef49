"""A run that does not end: which loop keeps it going."""

from __future__ import annotations

from butfor.program.graphs import successors
from butfor.program.loops import Loop, natural_loops
from butfor.trace.log import NO_FRAME
from butfor.trace.trace import Node, Trace

_MANY = 20  # times as many iterations as the loop took on average before
_AT_LEAST = 1000


def endless_loop(trace: Trace, i: int) -> Node | None:
    """The latest decision to stay in the loop around segment instance i that seems not to end, innermost first; None outside of all loops."""
    candidates: list[tuple[int, Loop]] = []
    frame = trace.log.frame_of(i)
    for _ in range(1000):
        s = trace.at(i)
        loops = natural_loops(successors(s.fn))
        k = loops.innermost[s.seg.block]
        while k is not None and k >= 0:
            loop = loops.loops[k]
            candidates.append((i, loop))
            k = loop.parent
        parent = int(trace.log.frame["parent"][frame])
        if parent == NO_FRAME:
            break
        i, frame = int(trace.log.frame["caller"][frame]), parent
    for at, loop in candidates:
        if _is_stuck(trace, at, loop):
            return _exit_decision(trace, at, loop)
    return _exit_decision(trace, *candidates[-1]) if candidates else None


def _is_stuck(trace: Trace, i: int, loop: Loop) -> bool:
    """Whether the loop has not ended before, or has now run far longer than it used to."""
    fn = trace.at(i).fn
    first = trace.static.first(fn)
    header = first + trace.program.layout(fn.name).first_of_block[loop.header]
    total = int(trace.log.counts[header])
    entry = trace.entry(i)
    places = trace.log.positions(header)
    now = total - int(places.searchsorted(entry))
    times = sum(int(trace.log.counts[trace.static.closing(fn, b)]) for b in {e[0] for e in loop.exits})
    ended = _times_left(trace, i, loop)
    if not ended:
        return True
    return times > 0 and now > _AT_LEAST and now * ended > _MANY * max(total - now, 1)


def _times_left(trace: Trace, i: int, loop: Loop) -> int:
    """How often the loop was left: entries of the blocks its exits lead to, an estimate from above."""
    fn = trace.at(i).fn
    first, layout = trace.static.first(fn), trace.program.layout(fn.name)
    return sum(int(trace.log.counts[first + layout.first_of_block[b]]) for b in {e[1] for e in loop.exits})


def _exit_decision(trace: Trace, i: int, loop: Loop) -> Node | None:
    """The latest instance of a branch that could have left the loop."""
    fn = trace.at(i).fn
    best = -1
    for block in {e[0] for e in loop.exits}:
        places = trace.log.positions(trace.static.closing(fn, block))
        k = int(places.searchsorted(i, "right")) - 1
        if k >= 0:
            best = max(best, int(places[k]))
    return (best, trace.at(best).last.index) if best >= 0 else None
