"""What a run read bit by bit, in the order in which it read it: standard input and nondeterministic values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from butfor.libc.library import scans
from butfor.trace.log.record_layout import NONDET_STREAM, STDIN_STREAM, EventKind

if TYPE_CHECKING:
    from butfor.counterfactual.input_units import InputUnit
    from butfor.trace.trace import Trace

_SOURCES = {STDIN_STREAM: "stdin", NONDET_STREAM: "nondet"}
_NUMBER = re.compile(rb"\s*[-+]?[0-9a-fA-FxX.]+")  # as scanf reads one: the log has the size of what it stored


@dataclass(frozen=True, slots=True)
class InputRead:
    """The bytes [start, end) of standard input, or the number of a nondeterministic value; empty at the input's end."""

    source: str
    start: int
    end: int

    def overlaps(self, unit: InputUnit) -> bool:
        """Whether a part of a unit was read."""
        return self.source == unit.source and self.start < unit.end and unit.start < self.end

    def goes_beyond(self, unit: InputUnit, stdin: bytes) -> bool:
        """Whether something else was read than a unit and the blanks that were read in one go with its end."""
        if not self.overlaps(unit):
            return True
        return self.source == "stdin" and bool(stdin[unit.end : self.end].strip())


def is_read_in_order(unit: InputUnit) -> bool:
    """Whether a program reads an input bit by bit; arguments, variables and files are there from the start."""
    return unit.source in _SOURCES.values()


def reads_in_order(trace: Trace, stdin: bytes) -> list[InputRead]:
    """What the run read bit by bit. A program that sees the end of its input has read something: more could follow."""
    events = trace.log.event
    if not len(events):
        return []
    found = []
    for e in events[(events["kind"] == EventKind.INPUT) & np.isin(events["stream"], list(_SOURCES))]:
        start, length, call = int(e["addr2"]), int(e["len"]), trace.at(int(e["seg"])).call
        number = _NUMBER.match(stdin, start) if int(e["addr"]) and call is not None and scans(call.callee) else None
        found.append(InputRead(_SOURCES[int(e["stream"])], start, start + length if number is None else number.end()))
    return found


def is_read_last(unit: InputUnit, trace: Trace, stdin: bytes) -> bool:
    """Whether the run read nothing else once it had begun to read a unit; what is there from the start comes first."""
    reads = reads_in_order(trace, stdin)
    if not is_read_in_order(unit):
        return not reads
    first = next((k for k, read in enumerate(reads) if read.overlaps(unit)), None)
    return (
        first is not None
        and not trace.log.is_last_part
        and not any(read.goes_beyond(unit, stdin) for read in reads[first:])
    )
