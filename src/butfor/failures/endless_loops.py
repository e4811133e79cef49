"""Which loop keeps a run going that does not end, and which variables decide about leaving it."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.flow_graphs import successors
from butfor.ir.natural_loops import Loop, natural_loops
from butfor.trace.log.record_layout import NO_FRAME, NO_SEGMENT
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place
from butfor.trace.view.source_steps import Steps

_STUCK_FACTOR = 20  # times the average iterations of earlier entries; loops rarely vary that much
_MIN_STUCK_ITERATIONS = 1000  # fewer do not keep a program running until a limit
_MAX_FRAMES_SEARCHED = 1000  # callers whose loops are candidates; more are a deep recursion of the same functions
_MAX_INSTANCES_SEARCHED = 10_000  # for one of the same call: in a recursion most belong to other calls
_SAMPLED_ITERATIONS = 64  # the latest ones, and as many spread over all: enough to see a variable change


@dataclass(frozen=True, slots=True)
class EndlessLoop:
    """A loop that seems not to end."""

    at: int  # a segment instance in it
    loop: Loop
    decision: Node | None  # the latest decision to stay in it, None if it has not come to one


def endless_loop(trace: Trace, i: int) -> EndlessLoop | None:
    """The loop around segment instance i that seems not to end, innermost first; None outside of all loops."""
    candidates: list[tuple[int, Loop]] = []
    frame = trace.log.frame_of(i)
    for _ in range(_MAX_FRAMES_SEARCHED):
        s = trace.at(i)
        loops = natural_loops(successors(s.fn))
        k = loops.innermost[s.seg.block]
        while k is not None and k >= 0:
            loop = loops.loops[k]
            candidates.append((i, loop))
            k = loop.parent
        parent = int(trace.log.frame["parent"][frame])
        if parent == NO_FRAME or int(trace.log.frame["caller"][frame]) == NO_SEGMENT:
            break
        i, frame = int(trace.log.frame["caller"][frame]), parent
    if not candidates:
        return None
    at, loop = next((c for c in candidates if _is_stuck(trace, *c)), candidates[-1])
    return EndlessLoop(at, loop, _exit_decision(trace, at, loop))


@dataclass(frozen=True, slots=True)
class ConditionVariable:
    """A variable of a loop's condition: its value in the latest iteration, and what is known of the earlier ones.

    It was the same in all of them, or another one in each of those that were looked at: then the loop may be on its
    way to an end.
    """

    text: str
    is_same: bool
    is_new_each_time: bool


def condition_variables(steps: Steps, endless: EndlessLoop) -> dict[str, ConditionVariable]:
    """The variables that the condition of a loop reads, by name, over the iterations since the loop was entered."""
    trace = steps.trace
    if endless.decision is None:
        return {}
    s = trace.at(endless.decision[0])
    place = steps.places.of_instr(s.fn, trace.instr(endless.decision))
    seen: dict[str, list[bytes]] = {}
    texts: dict[str, str] = {}
    for node in _condition_branches(steps, endless, place):
        for read in {read.name: read for read in steps.reads(node)}.values():
            seen.setdefault(read.name, []).append(read.data)
            texts[read.name] = read.text
    return {
        name: ConditionVariable(text, len(set(seen[name])) == 1, 1 < len(seen[name]) == len(set(seen[name])))
        for name, text in texts.items()
        if not text.startswith("0x")
    }


def _condition_branches(steps: Steps, endless: EndlessLoop, place: Place | None) -> list[Node]:
    """Sampled instances, in order, of the branches of a loop's condition since the loop was entered."""
    trace = steps.trace
    fn, frame = trace.at(endless.at).fn, trace.log.frame_of(endless.at)
    begin = _loop_entry(trace, endless.at, endless.loop)
    found = []
    for block in endless.loop.body:
        branch = fn.terminator(block)
        if not branch.is_two_way or steps.places.of_instr(fn, branch) != place:
            continue
        places = trace.log.positions(trace.static.last_of_block(fn, block))
        since, until = int(places.searchsorted(begin)), int(places.searchsorted(endless.at, "right"))
        chosen = {
            *range(since, until, max((until - since) // _SAMPLED_ITERATIONS, 1)),
            *range(max(since, until - _SAMPLED_ITERATIONS), until),
        }
        found += [(p, branch.index) for p in (int(places[k]) for k in chosen) if trace.log.frame_of(p) == frame]
    return sorted(found)


def _loop_entry(trace: Trace, i: int, loop: Loop) -> int:
    """The latest segment instance in the frame of instance i from which the loop around it was entered."""
    fn, frame = trace.at(i).fn, trace.log.frame_of(i)
    best = trace.frame_entry(i)
    for block in set(fn.blocks[loop.header].preds) - set(loop.body):
        places = trace.log.positions(trace.static.last_of_block(fn, block))
        latest = int(places.searchsorted(i, "right"))
        for p in places[max(latest - _MAX_INSTANCES_SEARCHED, 0) : latest][::-1].tolist():
            if trace.log.frame_of(p) == frame:
                best = max(best, p)
                break
    return best


def _is_stuck(trace: Trace, i: int, loop: Loop) -> bool:
    """Whether the loop has never ended before, or has now run far longer than it used to."""
    fn = trace.at(i).fn
    header = trace.static.first_of_block(fn, loop.header)
    total = int(trace.log.counts[header])
    places = trace.log.positions(header)
    now = total - int(places.searchsorted(_loop_entry(trace, i, loop)))
    times = sum(int(trace.log.counts[trace.static.last_of_block(fn, b)]) for b in {e[0] for e in loop.exits})
    ended = _exit_count(trace, i, loop)
    if not ended:
        return True
    return times > 0 and now > _MIN_STUCK_ITERATIONS and now * ended > _STUCK_FACTOR * max(total - now, 1)


def _exit_count(trace: Trace, i: int, loop: Loop) -> int:
    """How often the loop was left at most: the executions of the blocks that its exits lead to."""
    fn = trace.at(i).fn
    return sum(int(trace.log.counts[trace.static.first_of_block(fn, b)]) for b in {e[1] for e in loop.exits})


def _exit_decision(trace: Trace, i: int, loop: Loop) -> Node | None:
    """The latest instance, since the loop was entered, of a branch that could have left it."""
    fn, frame = trace.at(i).fn, trace.log.frame_of(i)
    begin = best = _loop_entry(trace, i, loop)
    for block in {e[0] for e in loop.exits}:
        places = trace.log.positions(trace.static.last_of_block(fn, block))
        since, until = int(places.searchsorted(begin, "right")), int(places.searchsorted(i, "right"))
        own = (
            p
            for p in places[since:until][: -_MAX_INSTANCES_SEARCHED - 1 : -1].tolist()
            if trace.log.frame_of(p) == frame
        )
        best = max(best, next(own, best))
    return (best, trace.at(best).last.index) if best > begin else None
