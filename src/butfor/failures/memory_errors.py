"""Memory errors that the runtime detected, whether or not the run survived them."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint
from butfor.trace.log.record_layout import ObjectKind
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import RunObject, RunObjects

_MAX_ERRORS = 50  # distinct ones; a run with more of them has one cause, which comes first


class MemoryErrorKind(IntEnum):
    """The kinds of errors as the runtime numbers them."""

    BOUNDS = 1
    FREED = 2
    DOUBLE_FREE = 3
    BAD_FREE = 4
    RETURNED = 5
    OVERLAP = 7


MEMORY_ERROR_NAMES: dict[int, str] = {
    MemoryErrorKind.BOUNDS: "out-of-bounds",
    MemoryErrorKind.FREED: "use-after-free",
    MemoryErrorKind.DOUBLE_FREE: "double-free",
    MemoryErrorKind.BAD_FREE: "bad-free",
    MemoryErrorKind.RETURNED: "use-after-return",
    MemoryErrorKind.OVERLAP: "overlap",
}


def memory_errors(trace: Trace, objects: RunObjects) -> list[FailurePoint]:
    """The errors in the order they happened, one per instruction and kind."""
    return [point for point, _ in errors_with_objects(trace, objects)]


def errors_with_objects(trace: Trace, objects: RunObjects) -> list[tuple[FailurePoint, RunObject | None]]:
    """The same with the object that was meant, where it is known."""
    found: list[tuple[FailurePoint, RunObject | None]] = []
    seen = set()
    for e in trace.log.error:
        node = checked_access(trace, e)
        key = (trace.log.segment(node[0]), node[1], int(e["kind"]))
        if key in seen:
            continue
        seen.add(key)
        o = objects.by_number(int(e["object"])) if int(e["object"]) else None
        found.append((_failure_point(trace, o, e, node), o))
        if len(found) >= _MAX_ERRORS:
            break
    return found


def is_corrupting(point: FailurePoint) -> bool:
    """Whether the error can change what the program does later: an invalid write or free."""
    return bool(point.details.get("write")) or point.details.get("memory") in ("double-free", "bad-free")


def checked_access(trace: Trace, e: Any) -> Node:
    """The access that was checked: the first in its segment not logged before the check; a call when none is left."""
    i = int(e["seg"])
    if int(e["site"]):
        return i, int(e["site"]) - 1
    s = trace.at(i)
    before = trace.log.counts_before(i)
    loads, stores = int(e["load"]) - before.loads, int(e["store"]) - before.stores
    for n in range(s.seg.start, s.seg.end):
        effects = s.layout.effects.get(n)
        instr = s.fn.instrs[n]
        if effects is not None and n in s.offsets:
            at = s.offsets[n]
            wanted = effects.stores if int(e["is_write"]) else effects.loads
            past = at.loads >= loads and at.stores >= stores
            if past and wanted and instr.op != "call":
                return i, n
    if s.call is None:
        outer = trace.call_of(i)  # library code that had called back
        return outer if outer is not None else (i, s.seg.end - 1)
    return i, s.seg.end - 1


def _failure_point(trace: Trace, o: RunObject | None, e: Any, node: Node) -> FailurePoint:
    kind, address = MemoryErrorKind(int(e["kind"])), int(e["addr"])
    size, is_write = int(e["size"]), bool(e["is_write"])
    instr = trace.instr(node)
    if instr.op == "call":
        values = operand_roots(trace, node, slice(0, len(instr.detail.arg_types)))
    else:
        at = 1 if instr.op == "store" else 0
        values = operand_roots(trace, node, slice(at, at + 1))
    roots = [*values]
    roots += _lifetime_calls(trace, o, kind)
    details = {
        "memory": MEMORY_ERROR_NAMES[kind],
        "write": is_write,
        "address": address,
        "size": size,
        "object": o.describe() if o else None,
    }
    return FailurePoint(FailureKind.MEMORY, _message(kind, address, size, is_write, o), node, tuple(roots), details)


def _lifetime_calls(trace: Trace, o: RunObject | None, kind: MemoryErrorKind) -> list[Node]:
    """The calls that allocated and, where it was used after that, freed a heap object."""
    if o is None or o.kind != ObjectKind.HEAP:
        return []
    times = [o.birth]
    if kind in (MemoryErrorKind.FREED, MemoryErrorKind.DOUBLE_FREE):
        times.append(trace.log.death_of(o.number))
    out = []
    for i in times:
        call = trace.at(i).call if i >= 0 else None
        if call is not None:
            out.append((i, call.index))
    return out


def _message(kind: MemoryErrorKind, address: int, size: int, is_write: bool, o: RunObject | None) -> str:
    verb = "write" if is_write else "read"
    what = f"{verb} of {size} byte{'s' if size != 1 else ''}"
    if kind is MemoryErrorKind.OVERLAP:
        within = f" within {o.describe()}" if o is not None else ""
        return f"copy of {size} bytes{within} to a place that overlaps where they are"
    if o is None:
        return f"invalid {what} at {address:#x}"
    match kind:
        case MemoryErrorKind.BOUNDS:
            if address >= o.start + o.size:
                past = address - o.start - o.size
                return (
                    f"{what} {past} byte{'s' if past != 1 else ''} past the end of {o.describe()}"
                    if past
                    else f"{what} just past the end of {o.describe()}"
                )
            if address < o.start:
                return f"{what} {o.start - address} byte{'s' if o.start - address != 1 else ''} before {o.describe()}"
            return f"{what} beginning inside {o.describe()} and going past its end"
        case MemoryErrorKind.FREED:
            return f"use after free: {what} in {o.describe()} that was freed"
        case MemoryErrorKind.DOUBLE_FREE:
            return f"double free of {o.describe()}"
        case MemoryErrorKind.BAD_FREE:
            return f"free of a pointer that malloc did not return: it points into {o.describe()}"
        case _:
            return f"{what} in {o.describe()} after its function returned"
