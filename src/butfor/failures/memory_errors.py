"""Memory errors that the runtime detected, whether or not the run survived them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint
from butfor.ir.array_indices import ArrayIndex, indices_of_address, text_room
from butfor.ir.machine_types import signed_value
from butfor.trace.log.record_layout import ErrorKind, ObjectKind
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.object_parts import array_path
from butfor.trace.view.run_objects import RunObject, RunObjects

_MAX_ERRORS = 50  # distinct ones; a run with more of them has one cause, which comes first


MEMORY_ERROR_NAMES: dict[int, str] = {
    ErrorKind.BOUNDS: "out-of-bounds",
    ErrorKind.FREED: "use-after-free",
    ErrorKind.DOUBLE_FREE: "double-free",
    ErrorKind.BAD_FREE: "bad-free",
    ErrorKind.RETURNED: "use-after-return",
    ErrorKind.OVERLAP: "overlap",
    ErrorKind.SCOPE: "use-after-scope",
    ErrorKind.MEMBER: "out-of-member",
    ErrorKind.SIZE: "negative-size",
}


def memory_errors(trace: Trace, objects: RunObjects) -> list[FailurePoint]:
    """The errors in the order they happened, one per instruction and kind."""
    return [point for point, _ in errors_with_objects(trace, objects)]


def errors_with_objects(trace: Trace, objects: RunObjects) -> list[tuple[FailurePoint, RunObject | None]]:
    """The same with the object that was meant, where it is known."""
    found: list[tuple[FailurePoint, RunObject | None]] = []
    seen = set()
    outside = {checked_access(trace, e) for e in trace.log.error if int(e["kind"]) == ErrorKind.BOUNDS}
    for e in trace.log.error:
        kind = ErrorKind(int(e["kind"]))
        if kind.is_arithmetic:
            continue
        node = checked_access(trace, e)
        key = (trace.log.segment(node[0]), node[1], kind)
        if key in seen or (kind in (ErrorKind.MEMBER, ErrorKind.OVERLAP) and node in outside):
            continue
        seen.add(key)
        o = objects.by_number(int(e["object"])) if int(e["object"]) else objects.at(int(e["addr"]), node[0])
        found.append((_failure_point(trace, objects, o, e, node), o))
        if len(found) >= _MAX_ERRORS:
            break
    return found


def is_corrupting(point: FailurePoint) -> bool:
    """Whether the error can change what the program does later: an invalid write or free."""
    return bool(point.details.get("write")) or point.details.get("memory") in (
        "double-free",
        "bad-free",
    )


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


def _failure_point(trace: Trace, objects: RunObjects, o: RunObject | None, e: Any, node: Node) -> FailurePoint:
    kind, address = ErrorKind(int(e["kind"])), int(e["addr"])
    size, is_write = int(e["size"]), bool(e["is_write"])
    instr = trace.instr(node)
    if instr.op == "alloca":
        values = operand_roots(trace, node, slice(0, 1))
    elif instr.op == "call":
        values = operand_roots(trace, node, slice(0, len(instr.detail.arg_types)))
    else:
        at = 1 if instr.op == "store" else 0
        values = operand_roots(trace, node, slice(at, at + 1))
    roots = [*values]
    roots += _lifetime_calls(trace, o, kind)
    details: dict[str, Any] = {
        "memory": MEMORY_ERROR_NAMES[kind],
        "write": is_write,
        "address": address,
        "size": size,
        "object": o.describe() if o else None,
    }
    message = _message(kind, address, size, is_write, o)
    if kind is ErrorKind.MEMBER:
        message = _outside_of_array(trace, objects, node, message, details)
    return FailurePoint(FailureKind.MEMORY, message, node, tuple(roots), details)


def _outside_of_array(trace: Trace, objects: RunObjects, node: Node, access: str, details: dict[str, Any]) -> str:
    """The message of an access outside of a row or a member; what is known of the array is added to the details."""
    instr = trace.instr(node)
    found = index_outside(trace, node) if instr.accesses_memory else None
    if found is None:  # a text that a call left there
        room = text_room(trace.at(node[0]).fn, instr.args[0], trace.program.global_type) if instr.op == "call" else None
        array = _array_at(objects, int(details["address"]), node[0], room)
        details |= {"array": array, "array_start": details["address"], "elements": room}
        has = "" if room is None else f", which has {room} byte{'s' if room != 1 else ''}"
        return f"{access} into {array or 'an array'}{has}"
    start, count = int(trace.operand(node[0], found.index.gep.args[0])), found.index.count
    array = _array_at(objects, start, node[0], count)
    details |= {"array": array, "array_start": start, "index": found.value, "elements": count}
    length = "" if count is None else f" with {count} element{'s' if count != 1 else ''}"
    return f"{access} at index {found.value} of {array or 'an array'}{length}"


def _array_at(objects: RunObjects, address: int, i: int, count: int | None) -> str | None:
    """The array of so many elements that begins at an address, as messages name it; None where it has no name."""
    o = objects.at(address, i)
    if o is None or o.type is None:
        return None
    path = array_path(o.type, o.offset_in_element(address), count)
    if o.variable is not None:
        return f"`{o.name}{path}`"
    return f"`{path.removeprefix('.')}` of {o.describe()}" if path.startswith(".") else None


@dataclass(frozen=True, slots=True)
class IndexOutside:
    """An index that was outside of its array, and its value."""

    index: ArrayIndex
    value: int


def index_outside(trace: Trace, node: Node) -> IndexOutside | None:
    """The index, of those by which the address of an access was computed, that was outside of its array."""
    fn = trace.at(node[0]).fn
    for index in indices_of_address(fn, trace.instr(node).address, trace.program.global_type):
        t = fn.operand_type(index.operand)
        try:
            value = signed_value(int(trace.operand(node[0], index.operand)), t.bits)
        except UnknownValue:
            continue
        if index.is_outside(value):
            return IndexOutside(index, value)
    return None


def _lifetime_calls(trace: Trace, o: RunObject | None, kind: ErrorKind) -> list[Node]:
    """The calls that allocated and, where it was used after that, freed a heap object."""
    if o is None or o.kind != ObjectKind.HEAP:
        return []
    times = [o.birth]
    if kind in (ErrorKind.FREED, ErrorKind.DOUBLE_FREE):
        times.append(trace.log.death_of(o.number))
    out = []
    for i in times:
        call = trace.at(i).call if i >= 0 else None
        if call is not None:
            out.append((i, call.index))
    return out


def _message(kind: ErrorKind, address: int, size: int, is_write: bool, o: RunObject | None) -> str:
    verb = "write" if is_write else "read"
    what = f"{verb} of {size} byte{'s' if size != 1 else ''}"
    if kind is ErrorKind.OVERLAP:
        within = f" within {o.describe()}" if o is not None else ""
        return f"copy of {size} bytes{within} to a place that overlaps where they are"
    if kind is ErrorKind.SIZE:
        count = signed_value(size, 32 if size < 1 << 32 else 64)
        return f"a local array of {count} elements: its size is negative"
    if kind is ErrorKind.MEMBER:
        return what
    if o is None:
        return f"invalid {what} at {address:#x}"
    match kind:
        case ErrorKind.BOUNDS:
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
        case ErrorKind.FREED:
            return f"use after free: {what} in {o.describe()} that was freed"
        case ErrorKind.DOUBLE_FREE:
            return f"double free of {o.describe()}"
        case ErrorKind.BAD_FREE:
            return f"free of a pointer that malloc did not return: it points into {o.describe()}"
        case ErrorKind.SCOPE:
            return f"{what} in {o.describe()} after its scope was left"
        case _:
            return f"{what} in {o.describe()} after its function returned"
