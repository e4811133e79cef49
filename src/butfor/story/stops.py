"""Where a debugger has to stop to see a cause at work: which time a line is reached that matters."""

from __future__ import annotations

import re

from butfor.localize.base import Case
from butfor.story.model import Stop
from butfor.trace.places import Place
from butfor.trace.static import StaticSegment
from butfor.trace.trace import Node

MOST_STOPS = 7
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?=$| ')")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*\Z")


def stops_of(case: Case, rows: tuple[tuple[str, int, str], ...]) -> tuple[Stop, ...]:
    """One stop for each statement (file, line, text) that the failure depended on, in their order."""
    latest: dict[tuple[str, int, str], tuple[Node, Place]] = {}
    for node in case.slices["relevant"].distance:
        place = case.places.of(node) if node[1] >= 0 else None
        if place is not None and case.trace.instr(node).op != "alloca":
            key = (place.file, place.line, place.text)
            if key not in latest or node > latest[key][0]:
                latest[key] = (node, place)
    return tuple(_stop(case, *latest[row]) for row in rows if row in latest)


def _stop(case: Case, node: Node, place: Place) -> Stop:
    s = case.trace.at(node[0])
    starts = case.trace.log.positions(_first_segment(case, s, place))
    hit = int(starts.searchsorted(node[0], "right"))
    step = case.steps.of(node, brief=True)
    values = tuple((name, m[0]) for name, text in (step.uses if step else ()) if _NAME.match(name) and (m := _NUMBER.match(text)))
    return Stop(place.file, place.line, max(hit, 1), max(len(starts), 1), values)


def _first_segment(case: Case, s: StaticSegment, place: Place) -> int:
    """The number of the segment in which the code of the line begins."""
    own = (k for k, seg in enumerate(s.layout.segments) if any(_on_line(case, s, n, place) for n in range(seg.start, seg.end)))
    return case.trace.static.first(s.fn) + next(own, s.local)


def _on_line(case: Case, s: StaticSegment, n: int, place: Place) -> bool:
    where = case.places.location(s.fn.instrs[n])
    return where is not None and where.file == place.path and where.line == place.line
