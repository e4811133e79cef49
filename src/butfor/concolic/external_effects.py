"""What copies and library calls of the run did to memory and took from outside."""

from __future__ import annotations

from butfor.concolic.library_models.library_call import Taken
from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import Shadow
from butfor.trace.log.record_layout import EventKind

_LARGEST_FILL = 1 << 20


def taken_by(shadow: Shadow, i: int) -> Taken:
    """What the call at the end of a segment took from outside."""
    rows = (shadow.log.event[k] for k in shadow.log.events_of(i))
    return [
        (int(e["addr"]), int(e["len"]), int(e["stream"]), int(e["addr2"]))
        for e in rows
        if int(e["kind"]) == EventKind.INPUT
    ]


def apply(shadow: Shadow, i: int, site: int, fill: int | None = None) -> None:
    """Applies what a segment did to memory at a site; library calls log without one. `fill` is what a call like memset filled with."""
    for k in shadow.log.events_of(i):
        e = shadow.log.event[k]
        if int(e["site"]) != site:
            continue
        kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
        if (i, address) in shadow.copied:
            continue
        if kind == EventKind.COPY:
            shadow.memory.copy(address, int(e["addr2"]), length)
        elif kind == EventKind.INPUT and address:
            _input(shadow, address, length, int(e["stream"]), int(e["addr2"]))
        elif kind == EventKind.WRITE and length == 1:
            shadow.memory.write(address, b"\0")  # the terminators of fgets, strtok and the like
        elif kind == EventKind.FILL and fill is not None and length < _LARGEST_FILL:
            shadow.memory.write(address, bytes([fill & 255]) * length)
        elif kind in (EventKind.WRITE, EventKind.FILL, EventKind.INPUT):
            shadow.memory.forget(address, length)
        elif kind == EventKind.BIRTH:
            shadow.memory.write(address, bytes(length))


def _input(shadow: Shadow, address: int, length: int, stream: int, offset: int) -> None:
    """Bytes that came from a stream: those of standard input depend on the input."""
    shadow.memory.forget(address, length)
    data = shadow.given.stdin[offset : offset + length]
    if stream != STDIN or offset < 0 or len(data) != length:
        return
    shadow.reads.add("stdin")
    for k, value in enumerate(data):
        shadow.memory.write(address + k, bytes([value]), shadow.variable(f"s{offset + k}", 8, value))
