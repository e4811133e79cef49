"""Where a debugger has to stop to see a cause at work: the line, and which time it is reached."""

from __future__ import annotations

from butfor.methods.case import FailingRun
from butfor.run_story import DebuggerStop
from butfor.source.source_model import Role
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

MAX_STOPS = 7  # as many as the causes that reports show
_FOR_HEAD = (Role.FOR_INIT, Role.FOR_UPDATE)
_MAX_SEGMENTS_TO_BODY = 50  # the head of a loop has a few; far beyond them is another statement


def debugger_stops(case: FailingRun, rows: tuple[tuple[str, int, str], ...]) -> tuple[DebuggerStop, ...]:
    """The stops for those statements (file, line, text) that the failure depended on, in their order."""
    latest: dict[tuple[str, int, str], tuple[Node, Place]] = {}
    for node in case.slices["relevant"].distance:
        place = case.places.of(node) if node[1] >= 0 else None
        if place is not None and case.trace.instr(node).op != "alloca":
            key = (place.file, place.line, place.text)
            if key not in latest or node > latest[key][0]:
                latest[key] = (node, place)
    return tuple(_stop(case, *latest[row]) for row in rows if row in latest)


def _stop(case: FailingRun, node: Node, place: Place) -> DebuggerStop:
    """The stop at an instance; in the head of a loop, where a debugger stops only once, at what ran next."""
    at, line = node[0], place.line
    if place.role in _FOR_HEAD or place.keyword == "for":
        at, line = _after_head(case, node[0], place)
    s = case.trace.at(at)
    log = case.trace.log
    segment = _first_segment(case, s, place.path, line)
    starts, before = log.positions(segment), int(log.dropped[segment])
    hit = before + int(starts.searchsorted(at, "right"))
    return DebuggerStop(place.file, place.line, line, max(hit, 1), max(before + len(starts), 1))


def _after_head(case: FailingRun, i: int, place: Place) -> tuple[int, int]:
    """The segment instance in the same call that first runs another line of the file, and that line."""
    at = i
    for _ in range(_MAX_SEGMENTS_TO_BODY):
        at = case.trace.next_in_frame(at)
        if at < 0:
            break
        s = case.trace.at(at)
        for n in range(s.seg.start, s.seg.end):
            where = case.places.location(s.fn.instrs[n])
            if where is not None and where.file == place.path and where.line not in (0, place.line):
                return at, where.line
    return i, place.line


def _first_segment(case: FailingRun, s: StaticSegment, path: str, line: int) -> int:
    """The number of the segment in which the code of a line begins."""
    own = (
        k
        for k, seg in enumerate(s.layout.segments)
        if any(_on_line(case, s, n, path, line) for n in range(seg.start, seg.end))
    )
    return case.trace.static.first_segment(s.fn) + next(own, s.local)


def _on_line(case: FailingRun, s: StaticSegment, n: int, path: str, line: int) -> bool:
    where = case.places.location(s.fn.instrs[n])
    return where is not None and where.file == path and where.line == line
