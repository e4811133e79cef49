"""From a witness to the values of the nondeterministic calls: the program is run, and its calls are matched with the waypoints in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from butfor.trace.log.record_layout import EventKind
from butfor.trace.recording import Recording
from butfor.witness.witness_model import RESULT, Waypoint, Witness

_MOST_RUNS = 40
_NONDET_STREAM = -2
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*=\s*(?:\([^()]*\)\s*)*\Z")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a nondeterministic function in a run: where, of which function, the variable that got its result."""

    line: int
    column: int
    function: str
    variable: str


@dataclass(frozen=True, slots=True)
class Followed:
    """The run with the values of a witness; `used` of its waypoints gave one."""

    values: tuple[int, ...]
    recording: Recording
    used: int


def follow(witness: Witness, record: Callable[[tuple[int, ...]], Recording]) -> Followed:
    """Runs the program until the values it takes from the witness stay the same: another value may lead to other calls."""
    values: tuple[int, ...] = ()
    for _ in range(_MOST_RUNS):
        recording = record(values)
        found, used = _matched(_calls(recording), witness.waypoints)
        if found == values:
            break
        values = found
    else:
        recording = record(values)
    return Followed(values, recording, used)


def _calls(recording: Recording) -> list[Call]:
    trace, log = recording.trace, recording.log
    texts: dict[str, list[str]] = {}
    out: dict[int, Call] = {}
    for e in log.event:
        if int(e["kind"]) != EventKind.INPUT or int(e["stream"]) != _NONDET_STREAM:
            continue
        call = trace.at(int(e["seg"])).call
        where = None if call is None else recording.source.location(call)
        if call is None or where is None:
            out[int(e["addr2"])] = Call(0, 0, "", "")
            continue
        if where.file not in texts:
            texts[where.file] = (recording.text_of(where.file) or b"").decode("utf-8", "replace").split("\n")
        lines = texts[where.file]
        before = lines[where.line - 1][: where.column - 1] if where.line <= len(lines) else ""
        assigned = _ASSIGNED.search(before)
        out[int(e["addr2"])] = Call(where.line, where.column, call.detail.callee or "", assigned[1] if assigned else "")
    return [out.get(k, Call(0, 0, "", "")) for k in range(max(out, default=-1) + 1)]


def _matched(calls: list[Call], waypoints: tuple[Waypoint, ...]) -> tuple[tuple[int, ...], int]:
    """The values of the calls; a waypoint that fits none of them is passed over, a call that none fits gets 0."""
    values: list[int] = []
    used = at = 0
    relevant = [w for w in waypoints if any(_value(w, c) is not None for c in calls)]
    for call in calls:
        value = _value(relevant[at], call) if at < len(relevant) else None
        if value is not None:
            used += 1
            at += 1
        values.append(value or 0)
    while values and not values[-1]:
        values.pop()
    return tuple(values), used


def _value(w: Waypoint, call: Call) -> int | None:
    """The value that a waypoint gives to a call, if it is about it."""
    named = dict(w.values)
    if w.function and w.function != call.function:
        return None
    if w.is_after and w.line and w.line != call.line:
        return None
    if not w.is_after and w.line and w.line < call.line:
        return None
    if RESULT in named:
        return named[RESULT]
    return named.get(call.variable) if call.variable else None
