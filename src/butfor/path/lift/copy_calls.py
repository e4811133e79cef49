"""Calls that do nothing but copy so many bytes from one place to another."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.libc.library import lookup
from butfor.path.lift.effects import Effect
from butfor.trace.log.record_layout import EventKind
from butfor.trace.trace import Trace

MAX_COPIED_BYTES = 4096  # bytes of a copy that are followed


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes that one effect copied; `event` is the row of the log that says so."""

    event: int
    to: int
    source: int
    size: int


def copies_of(trace: Trace, effect: Effect) -> list[Copy]:
    """What a call copied, if all that it does is to copy so many bytes."""
    instr = trace.instr(effect.node)
    name = instr.callee or ""
    own = name.startswith("llvm.")
    called = lookup(name)
    if called is None or called.block_copy is None:
        return []
    rows = [(k, trace.log.event[k]) for k in trace.log.events_of(effect.node[0])]
    mine = [
        (k, e) for k, e in rows if int(e["kind"]) == EventKind.COPY and (not own or int(e["site"]) == effect.node[1])
    ]
    found = [Copy(k, int(e["addr"]), int(e["addr2"]), int(e["len"])) for k, e in mine]
    return found if sum(c.size for c in found) <= MAX_COPIED_BYTES else []
