"""Runs ended by a signal: the instruction under way when it hit, and what was wrong with its operands."""

from __future__ import annotations

import signal

from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.ir.recording_segments import RET
from butfor.trace.log.record_layout import NO_FRAME
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.run_objects import RunObjects

_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_NULL_PAGE_BYTES = 4096  # lower addresses are members of a null pointer: the first page is never mapped
_STACK_END_BYTES = 1 << 20  # a fault nearer than that to the frame's base may be the end of the stack
_MIN_OVERFLOW_DEPTH = 1000  # nested calls; with fewer, a fault near the frame has another cause
_MAX_FRAMES_NAMED = 64  # innermost frames whose functions the message is taken from; a recursion shows in these


def signal_name(number: int) -> str:
    """The name of a signal, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def interrupted_instance(trace: Trace) -> Node:
    """The instance under way when the run ended.

    That is the first memory access of the last segment that was not logged, or else the segment's last instruction.
    """
    log = trace.log
    i = len(log) - 1
    s = trace.at(i)
    before = log.counts_before(i)
    loads, stores = log.end.loads - before.loads, log.end.stores - before.stores
    for n in range(s.seg.start, s.seg.end):
        e = s.layout.effects.get(n)
        if e is None:
            if s.layout.kinds.get(n) == "memory" and _faulted_copy(trace, i, n):
                return i, n
            continue
        at = s.offsets[n]
        if (e.loads and at.loads + len(e.loads) > loads) or (e.stores and at.stores + len(e.stores) > stores):
            return i, n
    last = s.seg.end - 1
    if s.fn.instrs[last].op == "unreachable" and last > s.seg.start:  # a trap, or a call that must not return
        last -= 1
    return i, last


def _faulted_copy(trace: Trace, i: int, n: int) -> bool:
    """Whether a copy was the last memory operation of the run and touches the address at which the run ended."""
    fault, events = trace.log.end.fault, trace.log.event
    if not len(events):
        return False
    e = events[-1]
    if int(e["seg"]) != i or int(e["site"]) != n:
        return False
    return any(int(e[k]) <= fault < int(e[k]) + int(e["len"]) for k in ("addr", "addr2"))


def _divisions_under_way(trace: Trace, node: Node) -> list[Node]:
    """The divisions of the last segment that may be the one under way."""
    i, n = node
    s = trace.at(i)
    log = trace.log
    before = log.counts_before(i)
    loads, stores = log.end.loads - before.loads, log.end.stores - before.stores
    first = s.seg.start
    for k, at in s.offsets.items():  # nothing before the last logged access can still be under way
        e = s.layout.effects[k]
        if k < n and ((e.loads and at.loads < loads) or (e.stores and at.stores < stores)):
            first = max(first, k)
    return [(i, k) for k in range(first, n + 1) if s.fn.instrs[k].op in _DIVISIONS]


def _trap(trace: Trace, node: Node) -> Node:
    """The trap instruction at or just before the instance where the run was interrupted, or else that instance."""
    s = trace.at(node[0])
    for n in range(node[1], s.seg.start - 1, -1):
        instr = s.fn.instrs[n]
        if (instr.callee or "").startswith(("llvm.trap", "llvm.debugtrap", "llvm.ubsantrap")):
            return node[0], n
    return node


def operand_roots(trace: Trace, node: Node, which: slice) -> tuple[Node, ...]:
    """The definitions of some operands of an instance."""
    out = []
    for a in trace.instr(node).args[which]:
        if isinstance(a, int):
            try:
                out.append(trace.definition(node[0], a))
            except UnknownValue:
                continue
    return tuple(out)


def crash_failure(trace: Trace, objects: RunObjects, sig: int) -> FailurePoint:
    """The failure of a run that a signal ended."""
    node = interrupted_instance(trace)
    if sig in (signal.SIGILL, signal.SIGTRAP):
        node = _trap(trace, node)
    end = trace.log.end
    name = signal_name(sig)
    if sig == signal.SIGFPE:
        found = _division(trace, node)
        if found is not None:
            return found
    overflow = _stack_overflow(trace, sig, node)
    if overflow is not None:
        return overflow
    instr = trace.instr(node)
    if instr.op == "ret" or (trace.at(node[0]).seg.flags & RET and instr.op not in ("load", "store", "call")):
        return FailurePoint(
            FailureKind.SIGNAL,
            f"{name} at the return: the return address was overwritten",
            node,
            (),
            details={"signal": name},
        )
    if sig in (signal.SIGSEGV, signal.SIGBUS) and instr.accesses_memory:
        return _bad_access(trace, objects, name, node)
    if (
        instr.op == "call"
        and sig in (signal.SIGSEGV, signal.SIGBUS)
        and trace.at(node[0]).layout.kinds.get(node[1]) == "memory"
    ):
        return _bad_copy(trace, name, node)
    if instr.op == "call" and instr.callee is None:
        callee = operand_roots(trace, node, slice(len(instr.args) - 1, None))
        target = trace.indirect_target(node)
        what = "through a null function pointer" if target == 0 else f"through a bad function pointer ({target:#x})"
        return FailurePoint(FailureKind.SIGNAL, f"{name}: call {what}", node, callee, {"signal": name})
    if instr.op == "call":
        values = operand_roots(trace, node, slice(0, len(instr.detail.arg_types)))
        where = f" in {instr.callee}()" if instr.callee else ""
        text = end.text or f"the run was ended by {name}{where}"
        return FailurePoint(FailureKind.SIGNAL, f"{name}: {text}" if end.text else text, node, values, {"signal": name})
    text = f"{name}: {end.text}" if end.text else f"the run was ended by {name}"
    return FailurePoint(FailureKind.SIGNAL, text, node, (), details={"signal": name})


def _bad_copy(trace: Trace, name: str, node: Node) -> FailurePoint:
    """The failure of a struct copied from or to a bad address."""
    e, fault = trace.log.event[-1], trace.log.end.fault
    is_write = int(e["addr"]) <= fault < int(e["addr"]) + int(e["len"])
    values = operand_roots(trace, node, slice(0, 1) if is_write else slice(1, 2))
    verb = "write" if is_write else "read"
    what = (
        f"{verb} through a null pointer"
        if int(e["addr"] if is_write else e["addr2"]) < _NULL_PAGE_BYTES
        else f"{verb} at the bad address {fault:#x}"
    )
    return FailurePoint(FailureKind.SIGNAL, f"{name}: {what}", node, values, {"signal": name, "address": fault})


def _bad_access(trace: Trace, objects: RunObjects, name: str, node: Node) -> FailurePoint:
    instr = trace.instr(node)
    at = 1 if instr.op == "store" else 0
    values = operand_roots(trace, node, slice(at, at + 1))
    verb = "write" if instr.op == "store" else "read"
    fault = trace.log.end.fault
    try:
        address = trace.operand(node[0], instr.args[at])
    except UnknownValue:
        address = fault
    if address < _NULL_PAGE_BYTES:
        what = f"{verb} through a null pointer" + (f" (offset {address})" if address else "")
    else:
        o = objects.at(address, node[0])
        text = objects.pointer_text(address, node[0])
        what = (
            f"{verb} of {text}, which is read-only"
            if o is not None and verb == "write"
            else f"{verb} at the bad address {address:#x}"
        )
    return FailurePoint(FailureKind.SIGNAL, f"{name}: {what}", node, values, {"signal": name, "address": address})


def _division(trace: Trace, node: Node) -> FailurePoint | None:
    for at in _divisions_under_way(trace, node):
        instr = trace.instr(at)
        try:
            divisor = trace.operand(at[0], instr.args[1])
        except UnknownValue:
            continue
        bits = instr.type.bits
        if divisor == 0:
            values = operand_roots(trace, at, slice(1, 2))
            text = "remainder of a division by zero" if instr.op.endswith("rem") else "division by zero"
            return FailurePoint(FailureKind.DIVISION, text, at, values, {"signal": "SIGFPE"})
        if instr.op in ("sdiv", "srem") and divisor == (1 << bits) - 1:
            values = operand_roots(trace, at, slice(0, 2))
            return FailurePoint(
                FailureKind.DIVISION,
                "the quotient of the smallest integer and -1 does not fit",
                at,
                values,
                {"signal": "SIGFPE"},
            )
    return None


def _stack_overflow(trace: Trace, sig: int, node: Node) -> FailurePoint | None:
    log = trace.log
    if sig not in (signal.SIGSEGV, signal.SIGBUS):
        return None
    frame = log.frame_of(node[0])
    base, fault = int(log.frame["base"][frame]), log.end.fault
    if not base - _STACK_END_BYTES <= fault < base + _STACK_END_BYTES or frame < _MIN_OVERFLOW_DEPTH:
        return None
    depth = 0
    functions: dict[str, None] = {}
    f = frame
    while f != NO_FRAME:
        depth += 1
        if depth <= _MAX_FRAMES_NAMED:
            functions[trace.at(int(log.frame["entry"][f])).fn.name] = None
        f = int(log.frame["parent"][f])
    if depth < _MIN_OVERFLOW_DEPTH:
        return None
    call = trace.call_of(node[0]) or node
    names = ", ".join(f"{n}()" for n in list(functions)[:3])
    text = f"stack overflow: {depth:,} nested calls of {names}"
    instr = trace.instr(call)
    values = operand_roots(trace, call, slice(0, None)) if instr.op == "call" else ()
    return FailurePoint(FailureKind.SIGNAL, text, call, values, {"signal": "SIGSEGV", "depth": depth})
