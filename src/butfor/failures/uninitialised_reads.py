"""Uninitialised reads that reach a branch, an address, the output or a library call that looks at them.

Definedness is propagated bit by bit, forward from the first such read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint
from butfor.failures.undefined_bits import UndefinedBits
from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind, store_size
from butfor.ir.recording_segments import AFTER, ENTRY
from butfor.libc.library import decisive_arguments, looks_at_bytes, prints
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import (
    ESCAPED,
    FIRST_EVENT_ID,
    FIRST_READ_ID,
    EventKind,
    ObjectKind,
    ReadFlag,
    record_number,
)
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.run_objects import RunObjects

_STATUS_BITS = 0xFF  # of what main returns
MAX_SECONDS = 2.0  # this is the last resort for runs that look fine, and must not slow them down
_MAX_SEGMENTS = 2_000_000  # about what can be followed in that time on a fast machine
_SEGMENTS_PER_CLOCK_READ = 256  # some milliseconds
_MAX_INSTANCES_TRACED = 10_000  # back from a wrong value: milliseconds
_MAX_UNMODELLED_CALLS = 2_000  # the latest ones; each is checked for every uninitialised address

_USES = {
    "branch": "decides a branch",
    "address": "is used as an address",
    "function": "is called as a function",
    "divisor": "is used as a divisor",
    "shift": "is used as the width of a shift",
    "output": "is printed",
    "status": "is the exit status",
    "argument": "is passed to {}()",
    "read": "is read by {}()",
    "pointer": "is a pointer through which {}() reads",
}
_USES_OF_SECOND_OPERAND = {
    **dict.fromkeys(("udiv", "sdiv", "urem", "srem"), "divisor"),
    **dict.fromkeys(("shl", "lshr", "ashr"), "shift"),
}


@dataclass(frozen=True, slots=True)
class UninitialisedUse:
    """The first use of an uninitialised value that matters, if there is one as far as the run was followed."""

    point: FailurePoint | None = None
    is_cut: bool = False  # the run was not followed to its end


def uninitialised_use(
    trace: Trace, objects: RunObjects, is_over: Callable[[], bool] = lambda: False
) -> UninitialisedUse:
    """The first use of an uninitialised value that matters."""
    start = _first_uninitialised(trace)
    return UninitialisedUse() if start is None else _DefinednessFlow(trace, objects).run(start, is_over)


@dataclass(frozen=True, slots=True)
class UninitialisedOrigin:
    """Memory that was never written and that a failure comes from."""

    memory: str  # in words
    is_itself: bool  # whether the failing instruction has an operand read from there, not just computed from it


def uninitialised_origin(
    trace: Trace, objects: RunObjects, dependence: Dependence, point: FailurePoint
) -> UninitialisedOrigin | None:
    """The uninitialised memory that the wrong values of a failure came from; None when they were all defined."""
    reads = _uninitialised_loads(dependence, point.roots)
    if not reads or point.node is None:
        return None
    undefined = _DefinednessFlow(trace, objects, reports_uses=False).undefined_at(min(i for i, _ in reads), point.node)
    instr, fn = trace.instr(point.node), trace.at(point.node[0]).fn
    wrong = [
        a
        for a in instr.args
        if isinstance(a, int) and a in undefined and _definition(trace, point.node[0], a) in point.roots
    ]
    if not wrong:
        return None
    i, address = max(reads)
    o = objects.at(address, i)
    return UninitialisedOrigin(
        o.describe() if o is not None else "unknown origin", any(_base_pointer(fn, a) in undefined for a in wrong)
    )


def _uninitialised_loads(dependence: Dependence, roots: tuple[Node, ...]) -> list[tuple[int, int]]:
    """The segment instances and addresses of the uninitialised reads that some values were computed from."""
    found, seen, work = [], set(roots), list(roots)
    while work and len(seen) < _MAX_INSTANCES_TRACED:
        node = work.pop()
        for kind, target in dependence.edges(node):
            if kind == "uninit":
                found.append((node[0], target[0]))
            elif kind == "data" and target not in seen:
                seen.add(target)
                work.append(target)
    return found


def _definition(trace: Trace, i: int, slot: int) -> Node | None:
    try:
        return trace.definition(i, slot)
    except UnknownValue:
        return None


def _base_pointer(fn: Function, slot: int) -> Operand:
    """The pointer that an address is computed from; any other value is its own base."""
    found: Operand = slot
    while (instr := fn.definition(found)) is not None and instr.op == "gep":
        found = instr.args[0]
    return found


def _first_uninitialised(trace: Trace) -> int | None:
    """The first segment instance in which something uninitialised may have been read or copied."""
    log = trace.log
    times = []
    reads = np.flatnonzero(log.read["flags"] & ReadFlag.UNINIT) if len(log.read) else np.empty(0, np.int64)
    if len(reads):
        times.append(int(log.read["seg"][reads[0]]))
    copied = _copies_of_unwritten_bytes(trace)
    if len(copied):
        times.append(int(log.event["seg"][copied[0]]))
    return min(times, default=None)


def _copies_of_unwritten_bytes(trace: Trace) -> np.ndarray:
    """The events that read bytes nobody wrote, as indices; an irregular read of such bytes has a flag instead."""
    log = trace.log
    if not len(log.event) or not len(log.run):
        return np.empty(0, np.int64)
    unwritten = np.flatnonzero(log.run["id"] == 0)
    first, count = np.asarray(log.event["run"], np.int64), np.asarray(log.event["runs"], np.int64)
    owners = np.searchsorted(first, unwritten, "right") - 1
    is_event = (owners >= 0) & (unwritten < (first + count)[owners])
    return owners[is_event]


class _DefinednessFlow:
    """Undefined bits of registers by frame and of stores by number; `reports_uses` stops at a use that matters."""

    def __init__(self, trace: Trace, objects: RunObjects, reports_uses: bool = True) -> None:
        self.reports_uses = reports_uses
        self.trace = trace
        self.log = trace.log
        self.objects = objects
        self.regs: dict[int, dict[int, int]] = {}
        self.stores: dict[int, int] = {}
        self.reads: dict[int, int] = {}
        self.origin = 0
        self.args: dict[int, int] = {}
        self.returned = 0
        self.fresh: list[int] = []
        self.bits = UndefinedBits(trace)

    def run(self, start: int, is_over: Callable[[], bool]) -> UninitialisedUse:
        """The first use that matters from segment instance `start` on."""
        end = time.monotonic() + MAX_SECONDS
        for i in range(start, min(len(self.trace), start + _MAX_SEGMENTS)):
            if i % _SEGMENTS_PER_CLOCK_READ == 0 and (time.monotonic() > end or is_over()):
                return UninitialisedUse(is_cut=True)
            found = self._segment(i)
            if found is not None:
                return UninitialisedUse(found)
        return UninitialisedUse(is_cut=start + _MAX_SEGMENTS < len(self.trace))

    def undefined_at(self, start: int, node: Node) -> set[int]:
        """The registers with undefined bits at an instance, as far as these were read from instance `start` on."""
        end = time.monotonic() + MAX_SECONDS
        for i in range(start, node[0]):
            if i % _SEGMENTS_PER_CLOCK_READ == 0 and time.monotonic() > end:
                return set()
            self._segment(i)
        self._segment(node[0], node[1])
        return set(self.regs.get(self.log.frame_of(node[0]), ()))

    def _segment(self, i: int, stop: int | None = None) -> FailurePoint | None:
        """Propagate through the instructions of a segment instance, up to `stop` if given; the first use reported."""
        s = self.trace.at(i)
        frame = self.log.frame_of(i)
        regs = self.regs.get(frame, {})
        if s.seg.flags & ENTRY and self.args:
            regs = dict(self.args)
        self.args = {}
        if s.seg.flags & AFTER and self.returned:
            regs[s.fn.instrs[s.seg.start - 1].slot] = self.returned
        self.returned = 0
        self.fresh = []
        if not regs and not self._has_tainted_load(i, s) and not (self.reports_uses and self._reads_by_call(i, s)):
            return None
        for number in self.fresh:  # looked at too early: stores of this very segment may matter
            del self.reads[number]
        self.regs[frame] = regs
        for n in range(s.seg.start, s.seg.end if stop is None else stop):
            found = self._instr((i, n), s, s.fn.instrs[n], regs)
            if found is not None:
                return found
        if stop is not None:
            return None
        if s.last.op == "ret" or not any(regs.values()):
            self.regs.pop(frame, None)
        return None

    # --- memory ---------------------------------------------------------------------------------------------

    def _has_tainted_load(self, i: int, s: StaticSegment) -> bool:
        """Whether the segment reads anything that was undefined before it."""
        if not s.seg.loads:
            return False
        first = self.log.counts_before(i).loads
        if not self.stores and not (self.log.load[first : first + s.seg.loads] == ESCAPED).any():
            return False
        return any(s.layout.effects[n].loads and self._loaded((i, n)) for n in s.offsets)

    def _loaded(self, node: Node) -> int:
        """The undefined bits of what a load read."""
        mask, shift = 0, 0
        try:
            for writer, size in self.trace.writers(node):
                mask |= self._mask(writer, size, None, node[0]) << shift
                shift += 8 * size
        except UnknownValue:
            return 0
        return mask

    def _mask(self, writer: int, size: int, address: int | None, i: int) -> int:
        """The undefined bits of `size` bytes left by a writer, as seen in segment instance i."""
        full = (1 << 8 * size) - 1
        if writer == 0:
            return full if address is not None and self._is_object(address, i) else 0
        if writer < FIRST_READ_ID:
            return self.stores.get(writer >> 3, 0) >> 8 * (writer & 7) & full
        if writer < FIRST_EVENT_ID:
            return self._read(record_number(writer)) >> 8 * (writer & 7) & full
        e = self.log.event[record_number(writer) - 1]
        if int(e["kind"]) != EventKind.COPY or address is None:
            return 0
        low = address - int(e["addr"])
        mask, shift = 0, 0
        for w, length, place in self.trace.last_writers.runs_read(
            record_number(writer), low, low + size, int(e["addr2"])
        ):
            mask |= self._mask(w, length, place, int(e["seg"])) << shift
            shift += 8 * length
        return mask & full

    def _read(self, number: int) -> int:
        known = self.reads.get(number)
        if known is not None:
            return known
        self.reads[number] = 0  # a read never depends on itself, but be safe
        self.fresh.append(number)
        r = self.log.read[number - 1]
        start, flags, seg, mask = int(r["addr"]), int(r["flags"]), int(r["seg"]), 0
        if not flags & ReadFlag.CHANGED:
            for k, w in enumerate(self.log.read_sources(number)):
                undefined = (
                    flags & ReadFlag.UNINIT and self._is_object(start + k, seg)
                    if w == 0
                    else self._mask(w, 1, start + k, seg)
                )
                mask |= (0xFF if undefined is True else int(undefined)) << 8 * k
        if mask and not self.origin:
            self.origin = start
        self.reads[number] = mask
        return mask

    def _is_object(self, address: int, i: int) -> bool:
        """Whether the address was in a live, unwritten variable or heap block, not in a spill slot of the compiler."""
        if not self.objects.is_live(address, i) or self._maybe_written(address, i):
            return False
        self.origin = self.origin or address
        return True

    def _maybe_written(self, address: int, i: int) -> bool:
        """Whether an unmodelled library function got a pointer to the object since its frame began."""
        o = self.objects.at(address, i)
        start, end = (o.start, o.start + max(o.size, 1)) if o is not None else (address, address + 1)
        since = min(self.trace.frame_entry(i), o.birth) if o is not None and o.kind == ObjectKind.HEAP else 0
        for k in reversed(self._unknown_calls):
            seg = int(self.log.event[k]["seg"])
            if seg > i:
                continue
            if seg < since:
                return False
            call = self.trace.at(seg).call
            if call is not None and any(start <= p < end for p in self._pointers(seg, call)):
                return True
        return False

    @cached_property
    def _unknown_calls(self) -> list[int]:
        rows = (
            np.flatnonzero(self.log.event["kind"] == EventKind.CALL) if len(self.log.event) else np.empty(0, np.int64)
        )
        return [int(k) for k in rows[-_MAX_UNMODELLED_CALLS:]]

    def _pointers(self, i: int, call: Instr) -> list[int]:
        """The pointers among the arguments of a call."""
        found = []
        for a, t in zip(call.args, call.detail.arg_types, strict=False):
            if t.kind is Kind.PTR:
                try:
                    found.append(int(self.trace.operand(i, a)))
                except UnknownValue:
                    continue
        return found

    # --- instructions ---------------------------------------------------------------------------------------

    def _instr(self, node: Node, s: StaticSegment, instr: Instr, regs: dict[int, int]) -> FailurePoint | None:
        def of(op: object) -> int:
            return regs.get(op, 0) if isinstance(op, int) else 0

        match instr.op:
            case "load":
                if self.reports_uses and of(instr.args[0]):
                    return self._point(node, "address", slice(0, 1))
                self._set(regs, instr.slot, self._loaded(node))
            case "store":
                if self.reports_uses and of(instr.args[1]):
                    return self._point(node, "address", slice(1, 2))
                self._store(node, s, of(instr.args[0]))
            case "br" | "switch" | "indirectbr":
                if self.reports_uses and instr.args and of(instr.args[0]):
                    return self._point(node, "branch", slice(0, 1))
            case "ret":
                self.returned = of(instr.args[0]) if instr.args else 0
                is_status = s.fn.name == "main" and self.trace.call_of(node[0]) is None
                if self.reports_uses and is_status and self.returned & _STATUS_BITS:
                    return self._point(node, "status", slice(0, 1))
            case "call":
                return self._call(node, s, instr, regs)
            case "alloca" | "unreachable" | "fence" | "cmpxchg" | "atomicrmw":
                return None
            case "phi":
                chosen, _ = self.trace.phi_choice(node)
                self._set(regs, instr.slot, of(chosen))
            case _:
                masks = [of(a) for a in instr.args]
                use = _USES_OF_SECOND_OPERAND.get(instr.op)
                if self.reports_uses and use is not None and masks[1]:
                    return self._point(node, use, slice(1, 2))
                self._set(regs, instr.slot, self.bits.result(node, instr, masks) if any(masks) else 0)
        return None

    def _set(self, regs: dict[int, int], slot: int, mask: int) -> None:
        if mask:
            regs[slot] = mask
        else:
            regs.pop(slot, None)

    def _store(self, node: Node, s: StaticSegment, mask: int) -> None:
        if not mask:
            return
        first = self.log.counts_before(node[0]).stores + s.offsets[node[1]].stores + 1
        for k, size in enumerate(s.layout.effects[node[1]].stores):
            part = mask & ((1 << 8 * size) - 1)
            if part:
                self.stores[first + k] = part
            mask >>= 8 * size

    def _call(self, node: Node, s: StaticSegment, instr: Instr, regs: dict[int, int]) -> FailurePoint | None:
        call, kind = instr.detail, s.layout.kinds[instr.index]
        masks = [regs.get(a, 0) if isinstance(a, int) else 0 for a in instr.args[: len(call.arg_types)]]
        if kind == "indirect" and self.reports_uses and isinstance(instr.args[-1], int) and regs.get(instr.args[-1]):
            return self._point(node, "function", slice(-1, None))
        if kind in ("internal", "indirect"):
            self.args = {k: m for k, m in enumerate(masks) if m}
        elif kind == "external" and self.reports_uses:
            is_output = prints(call.callee)
            for k, m in enumerate(masks):
                if m and (is_output or k in decisive_arguments(call.callee)):
                    return self._point(node, "output" if is_output else "argument", slice(k, k + 1))
                if m and self._is_read_through(node, instr.args[k]):
                    return self._point(node, "pointer", slice(k, k + 1))
            if self._reads_by_call(node[0], s):
                return self._point(node, "output" if is_output else "read", slice(0, None))
        elif kind == "pure" and instr.slot >= 0 and any(masks):
            regs[instr.slot] = (1 << max(8 * store_size(instr.type), 1)) - 1
        return None

    def _is_read_through(self, node: Node, argument: Operand) -> bool:
        """Whether a library function read what an argument points to."""
        try:
            pointer = int(self.trace.operand(node[0], argument))
        except (UnknownValue, TypeError, ValueError):
            return False
        read = (self.log.event[k] for k in self.log.events_of(node[0]))
        return any(int(e["kind"]) == EventKind.READ_BY_CALL and int(e["addr"]) == pointer and e["len"] for e in read)

    def _reads_by_call(self, i: int, s: StaticSegment) -> bool:
        """Whether a library function printed or looked at bytes that were never written."""
        if s.call is None or not (prints(s.call.callee) or looks_at_bytes(s.call.callee)):
            return False
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["kind"]) == EventKind.READ_BY_CALL:
                for w, length, place in self.trace.last_writers.runs_read(k + 1, 0, int(e["len"]), int(e["addr"])):
                    if self._mask(w, min(length, 8), place, i):
                        return True
        return False

    def _point(self, node: Node, use: str, which: slice) -> FailurePoint:
        try:
            roots = operand_roots(self.trace, node, which)
        except UnknownValue:
            roots = ()
        o = self.objects.in_use_at(self.origin, node[0]) if self.origin else None
        declared = o.variable if o is not None and o.kind == ObjectKind.STACK else None
        where = f" (declared at line {declared.line})" if declared is not None and not declared.is_parameter else ""
        what = f" of {o.describe()}{where}" if o is not None else ""
        details = {"memory": "uninitialised", "use": use, "address": self.origin}
        used = _USES[use].format(self.trace.instr(node).callee)
        return FailurePoint(FailureKind.MEMORY, f"an uninitialised value{what} {used}", node, roots, details)
