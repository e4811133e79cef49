"""The run that a violation witness stands for, and whether it fails as the witness says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from butfor.explanation import Failure
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import record
from butfor.options import RunOptions
from butfor.trace.log.record_layout import NONDET_STREAM, EventKind
from butfor.trace.recording import Recording
from butfor.witness.read_witness import read_witness
from butfor.witness.witness_model import RESULT, Waypoint, Witness

_MAX_RUNS = 40  # until the values stay the same; each run settles at least one more call
_MAX_VALUES_NAMED = 20  # in a note; the JSON report has all of them
_ASSIGNED_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*=\s*(?:\([^()]*\)\s*)*\Z")


@dataclass(frozen=True, slots=True)
class WitnessRun:
    """The run with the nondet values of a witness; `used` of its waypoints gave one."""

    witness: Witness
    values: tuple[int, ...]
    recording: Recording
    used: int

    def is_confirmed(self, failure: Failure | None) -> bool:
        """Whether the run fails, and at the line that the witness names if it names one."""
        return failure is not None and (not self.witness.target or failure.line == self.witness.target)

    def notes(self, failure: Failure | None) -> tuple[str, ...]:
        """What came of the witness, in words."""
        count, left = len(self.witness.waypoints), len(self.witness.waypoints) - self.used
        unused = f"; {left} of its {count} assumptions fit no call of the run" if left else ""
        notes = [self._values_in_words() + unused]
        if failure is None:
            notes.append("the witness is not confirmed: the run with these values does not fail")
        elif not self.is_confirmed(failure):
            notes.append(
                f"the run of the witness fails in line {failure.line}, the witness names line {self.witness.target}"
            )
        return tuple(notes)

    def _values_in_words(self) -> str:
        if not self.values:
            return "the witness gives no nondet values other than 0"
        more = " and so on" if len(self.values) > _MAX_VALUES_NAMED else ""
        return f"the witness gives the nondet values {','.join(map(str, self.values[:_MAX_VALUES_NAMED]))}{more}"

    def to_dict(self, failure: Failure | None) -> dict[str, Any]:
        """Its part of the JSON report."""
        w = self.witness
        return {
            "values": list(self.values),
            "assumptions": len(w.waypoints),
            "used": self.used,
            "fails": failure is not None,
            "target": w.target,
            "not_understood": list(w.unread),
        }


def follow_witness(options: RunOptions, program: Build, say: Callable[[str], None]) -> WitnessRun:
    """The run that the witness of the options stands for.

    The program is run until the values it takes from the witness stay the same: another value may lead to other calls.
    None of these runs may change anything outside of itself.
    """
    assert options.witness is not None
    witness = read_witness(options.witness)
    say("following the witness")
    plain = replace(options, witness=None)

    def run(values: tuple[int, ...]) -> Recording:
        return record(replace(plain, nondet=values), program, lambda text: None, is_fenced=True)

    values: tuple[int, ...] = ()
    for _ in range(_MAX_RUNS):
        recording = run(values)
        found, used = _values_for(_nondet_calls(recording), witness.waypoints)
        if found == values:
            break
        values = found
    else:
        recording = run(values)
    return WitnessRun(witness, values, recording, used)


@dataclass(frozen=True, slots=True)
class _NondetCall:
    """One call of a nondeterministic function: where, of which one, the variable that its result is assigned to."""

    line: int = 0
    column: int = 0
    function: str = ""
    variable: str = ""


def _nondet_calls(recording: Recording) -> list[_NondetCall]:
    """The calls of nondeterministic functions in a run, in order."""
    trace, log = recording.trace, recording.log
    texts: dict[str, list[str]] = {}
    found: dict[int, _NondetCall] = {}
    for e in log.event:
        if int(e["kind"]) != EventKind.INPUT or int(e["stream"]) != NONDET_STREAM:
            continue
        call = trace.at(int(e["seg"])).call
        where = None if call is None else recording.source.location(call)
        if call is None or where is None:
            found[int(e["addr2"])] = _NondetCall()
            continue
        if where.file not in texts:
            texts[where.file] = (recording.text_of(where.file) or b"").decode("utf-8", "replace").split("\n")
        lines = texts[where.file]
        before = lines[where.line - 1][: where.column - 1] if where.line <= len(lines) else ""
        assigned = _ASSIGNED_VARIABLE.search(before)
        variable = assigned[1] if assigned else ""
        found[int(e["addr2"])] = _NondetCall(where.line, where.column, call.callee or "", variable)
    return [found.get(k, _NondetCall()) for k in range(max(found, default=-1) + 1)]


def _values_for(calls: list[_NondetCall], waypoints: tuple[Waypoint, ...]) -> tuple[tuple[int, ...], int]:
    """The values of the calls, and how many waypoints gave one.

    A waypoint that fits none of the calls is passed over; a call that no waypoint fits gets 0.
    """
    values: list[int] = []
    used = at = 0
    fitting = [w for w in waypoints if any(_value_from(w, c) is not None for c in calls)]
    for call in calls:
        value = _value_from(fitting[at], call) if at < len(fitting) else None
        if value is not None:
            used += 1
            at += 1
        values.append(value or 0)
    while values and not values[-1]:
        values.pop()
    return tuple(values), used


def _value_from(waypoint: Waypoint, call: _NondetCall) -> int | None:
    """The value that a waypoint gives to a call, if it is about it."""
    named = dict(waypoint.values)
    if waypoint.function and waypoint.function != call.function:
        return None
    if waypoint.is_after and waypoint.line and waypoint.line != call.line:
        return None
    if not waypoint.is_after and waypoint.line and waypoint.line < call.line:
        return None
    if RESULT in named:
        return named[RESULT]
    return named.get(call.variable) if call.variable else None
