"""Memory errors that the runtime saw, whether or not the run survived them."""

from __future__ import annotations

from typing import Any

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import HEAP, Object, Objects

BOUNDS, FREED, DOUBLE_FREE, BAD_FREE, RETURNED, OVERLAP = 1, 2, 3, 4, 5, 7
NAMES = {
    BOUNDS: "out-of-bounds",
    FREED: "use-after-free",
    DOUBLE_FREE: "double-free",
    BAD_FREE: "bad-free",
    RETURNED: "use-after-return",
    OVERLAP: "overlap",
}


def memory_errors(trace: Trace, objects: Objects, limit: int = 50) -> list[FailurePoint]:
    """The errors in the order they happened, one per statement."""
    return [point for point, _ in errors_with_objects(trace, objects, limit)]


def errors_with_objects(trace: Trace, objects: Objects, limit: int = 50) -> list[tuple[FailurePoint, Object | None]]:
    """The same with the object that was meant, where it is known."""
    found: list[tuple[FailurePoint, Object | None]] = []
    seen = set()
    for e in trace.log.error:
        node = access_of(trace, e)
        key = (trace.log.segment(node[0]), node[1], int(e["kind"]))
        if key in seen:
            continue
        seen.add(key)
        o = objects.by_number(int(e["object"])) if int(e["object"]) else None
        found.append((_point(trace, o, e, node), o))
        if len(found) >= limit:
            break
    return found


def is_corrupting(point: FailurePoint) -> bool:
    """Whether the error can change what the program does later: an invalid write or free."""
    return bool(point.details.get("write")) or point.details.get("memory") in ("double-free", "bad-free")


def access_of(trace: Trace, e: Any) -> Node:
    """The access that was checked: the first in its segment not logged before the check; a call when none is left."""
    i = int(e["seg"])
    if int(e["site"]):
        return i, int(e["site"]) - 1
    s = trace.at(i)
    before = trace.log.before(i)
    loads, stores = int(e["load"]) - before[0], int(e["store"]) - before[1]
    for n in range(s.seg.start, s.seg.end):
        effects = s.layout.effects.get(n)
        instr = s.fn.instrs[n]
        if effects is not None and n in s.offsets:
            at = s.offsets[n]
            wanted = effects.stores if int(e["is_write"]) else effects.loads
            past = at[0] >= loads and at[1] >= stores
            if past and wanted and instr.op != "call":
                return i, n
    if s.call is None:
        outer = trace.call_of(i)  # library code that had called back
        return outer if outer is not None else (i, s.seg.end - 1)
    return i, s.seg.end - 1


def _point(trace: Trace, o: Object | None, e: Any, node: Node) -> FailurePoint:
    kind, address, size, is_write = int(e["kind"]), int(e["addr"]), int(e["size"]), bool(e["is_write"])
    instr = trace.instr(node)
    if instr.op == "call":
        values = operand_roots(trace, node, slice(0, len(instr.detail.arg_types)))
    else:
        at = 1 if instr.op == "store" else 0
        values = operand_roots(trace, node, slice(at, at + 1))
    roots = [*values]
    roots += _life(trace, o, kind)
    details = {
        "memory": NAMES[kind],
        "write": is_write,
        "address": address,
        "size": size,
        "object": o.describe() if o else None,
    }
    return FailurePoint(FailureKind.MEMORY, _message(kind, address, size, is_write, o), node, tuple(roots), details)


def _life(trace: Trace, o: Object | None, kind: int) -> list[Node]:
    """The calls that made and freed a heap object."""
    if o is None or o.kind != HEAP:
        return []
    times = [o.birth]
    if kind in (FREED, DOUBLE_FREE):
        times.append(trace.log.death_of(o.number))
    out = []
    for i in times:
        call = trace.at(i).call if i >= 0 else None
        if call is not None:
            out.append((i, call.index))
    return out


def _message(kind: int, address: int, size: int, is_write: bool, o: Object | None) -> str:
    verb = "write" if is_write else "read"
    what = f"{verb} of {size} byte{'s' if size != 1 else ''}"
    if kind == OVERLAP:
        return f"copy of {size} bytes{f' within {o.describe()}' if o is not None else ''} to a place that overlaps where they are"
    if o is None:
        return f"invalid {what} at {address:#x}"
    match kind:
        case 1:
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
        case 2:
            return f"use after free: {what} in {o.describe()} that was freed"
        case 3:
            return f"double free of {o.describe()}"
        case 4:
            return f"free of a pointer that malloc did not return: it points into {o.describe()}"
        case _:
            return f"{what} in {o.describe()} after its function returned"
