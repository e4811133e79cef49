"""Memory in the full replay: every load and store compared with what was recorded."""

from __future__ import annotations

from typing import Any, cast

from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind, record_number
from butfor.trace.log.static_segments import LogCursor, StaticSegment
from butfor.trace.replay.byte_memory import ByteMemory
from butfor.trace.replay.replay_state import UNKNOWN, ReplayFrame, ReplayResult
from butfor.trace.semantics.aggregates import undefined_elements
from butfor.trace.semantics.instruction_semantics import from_bytes, to_bytes
from butfor.trace.semantics.integers import read_modify_write
from butfor.trace.semantics.softfloat import float_format, is_nan
from butfor.trace.trace import Trace

_DEAD_STACK_BYTES = 1 << 16  # below a frame; the runtime's own calls reach no deeper
_MAX_STACK_ARGUMENT_BYTES = 1 << 20  # a larger gap between two frames is not made of arguments


class CheckedMemory:
    """Bytes as the replay leaves them; mismatches are counted in `result`."""

    def __init__(self, trace: Trace, result: ReplayResult) -> None:
        self.trace = trace
        self.log = trace.log
        self.result = result
        self._known = ByteMemory()
        self._reads = 0
        # (calling segment, address) of struct arguments, which were copied when the callee began.
        self._copied: set[tuple[int, int]] = set()

    def begin(self, i: int, f: ReplayFrame, size: int, caller: ReplayFrame | None) -> None:
        """Apply what the call that begins with segment i does to memory; its frame has `size` bytes."""
        self._known.forget(f.base, size)
        # Variadic arguments lie on the stack, between the callee's frame and the caller's variables.
        if f.fn.variadic and caller is not None and 0 < caller.low - f.base - size < _MAX_STACK_ARGUMENT_BYTES:
            self._known.forget(f.base + size, caller.low - f.base - size)
        self._copy_arguments(i, f)

    def _copy_arguments(self, i: int, f: ReplayFrame) -> None:
        """Give the callee its own copies of struct arguments."""
        for k, size in enumerate(f.fn.byval):
            if not size:
                continue
            source, copy = f.regs[k], self.trace.byval_address(i, k)
            f.regs[k] = copy
            self._copied.add((int(self.log.frame["caller"][self.log.frame_of(i)]), copy))
            if source is UNKNOWN:
                self._known.forget(copy, size)
            else:
                self._known.copy(copy, source, size)

    def load(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> Any:
        """The value that a load yielded."""
        data = self._loaded(i, s, f, instr, at)
        address = f.value(instr.args[0])
        if address is not UNKNOWN and _is_dead(address, f):
            return UNKNOWN  # the runtime's own calls have written there since
        return from_bytes(data, instr.type)

    def _loaded(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> bytes:
        address = f.value(instr.args[0])
        parts = []
        for size in s.layout.effects[instr.index].loads:
            writer = self.log.writer(at.load, at.store)
            recorded = self.trace.written_bytes(writer, size)
            fresh = self._is_fresh(writer)
            self.result.loads += 1
            if address is not UNKNOWN and not _is_dead(address, f):
                self._compare_load(i, address, size, recorded, writer, fresh, f)
            if address is not UNKNOWN:
                address += size
            parts.append(recorded)
            at.load += 1
        return b"".join(parts)

    def _is_fresh(self, writer: int) -> bool:
        """Whether a load is the first to see this value: irregular reads are numbered in the order of the run."""
        number = record_number(writer) if FIRST_READ_ID <= writer < FIRST_EVENT_ID else 0
        if number <= self._reads:
            return False
        self._reads = number
        return True

    def _compare_load(
        self, i: int, address: int, size: int, recorded: bytes, writer: int, fresh: bool, f: ReplayFrame
    ) -> None:
        mine = self._known.read(address, size)
        if mine == recorded:
            return
        if FIRST_READ_ID <= writer < FIRST_EVENT_ID:
            r = self.log.read[record_number(writer) - 1]
            first = int(r["addr"]) + (writer & 7)
            if first != address:
                self.result.miss(f"segment {i} in {f.fn.name}: load address computed {address:#x}, recorded {first:#x}")
        load = f"segment {i} in {f.fn.name}: load of {address:#x}"
        if mine is not None:
            changed = fresh and int(r["flags"])
            if not changed:
                self.result.miss(f"{load}: computed {mine.hex()}, recorded {recorded.hex()}")
        elif not fresh and not self.log.is_last_part:  # else a store went to an address computed before
            self.result.miss(f"{load}: {recorded.hex()} recorded, but not known to be written")
        self.result.from_outside += 1
        self._known.write(address, recorded)

    def store(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> None:
        """Apply a store, comparing its value and its address."""
        self._stored(i, s, f, instr, at, f.value(instr.args[0]), instr.args[1], instr.detail)

    def _stored(
        self,
        i: int,
        s: StaticSegment,
        f: ReplayFrame,
        instr: Instr,
        at: LogCursor,
        value: Any,
        pointer: Operand,
        t: Type,
    ) -> None:
        effects = s.layout.effects[instr.index]
        total = sum(effects.stores)
        recorded = self.log.value[at.byte : at.byte + total].tobytes()
        self.result.stores += len(effects.stores)
        if value is not UNKNOWN:
            mine = to_bytes(value, t)
            if (
                mine != recorded
                and not equal_where_defined(mine, recorded, t)
                and not equal_but_for_undefined_elements(f.fn, instr, value, recorded)
            ):
                self.result.miss(f"segment {i} in {f.fn.name}: store of {mine.hex()}, recorded {recorded.hex()}")
        address = f.value(pointer)
        if effects.address:
            logged = int(self.log.address[at.address])
            self.result.compare(i, address, logged, f"{f.fn.name}: store address")
            address = logged
            at.address += 1
        if address is not UNKNOWN:
            self._known.write(address, recorded)
        at.store += len(effects.stores)
        at.byte += total

    def atomic(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> Any:
        """The result of an atomic read-modify-write."""
        t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
        old = from_bytes(self._loaded(i, s, f, instr, at), t)
        operand = f.value(instr.args[1])
        if instr.op == "atomicrmw":
            new = UNKNOWN if operand is UNKNOWN else read_modify_write(instr.detail[0], cast(int, old), operand, t.bits)
            new = UNKNOWN if new is None else new
            result: Any = old
        else:
            same = old == operand
            new = f.value(instr.args[2]) if same else old
            result = (old, int(same))
        self._stored(i, s, f, instr, at, new, instr.args[0], t)
        return result

    def events(self, i: int, site: int) -> None:
        """Apply the events that segment i caused at a site; `NO_SITE` stands for its library call."""
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["site"]) != site:
                continue
            kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
            if (i, address) in self._copied:
                continue
            if kind == EventKind.COPY:
                self._known.copy(address, int(e["addr2"]), length)
            elif kind in (EventKind.WRITE, EventKind.INPUT, EventKind.FILL):
                self._known.forget(address, length)
            elif kind == EventKind.BIRTH:
                self._known.write(address, bytes(length))


def _is_dead(address: int, f: ReplayFrame) -> bool:
    """Whether an address lies below the stack."""
    return f.low - _DEAD_STACK_BYTES < address < f.low


def equal_where_defined(mine: bytes, recorded: bytes, t: Type) -> bool:
    """Whether two images of a value differ only in padding or in the sign and payload of a NaN."""
    if t.kind is Kind.FLOAT:
        fmt = float_format(t.bits)
        return all(is_nan(fmt, int.from_bytes(x, "little")) for x in (mine, recorded))
    if t.kind is Kind.VECTOR and t.elem.kind is Kind.FLOAT:
        step = t.elem.bits // 8
        parts = [(mine[k : k + step], recorded[k : k + step]) for k in range(0, len(mine), step)]
        return all(a == b or equal_where_defined(a, b, t.elem) for a, b in parts)
    return t.is_aggregate and to_bytes(from_bytes(recorded, t), t) == mine


def equal_but_for_undefined_elements(fn: Function, store: Instr, value: Any, recorded: bytes) -> bool:
    """Whether a stored vector differs only in elements that were never defined."""
    shuffle = fn.definition(store.args[0]) if store.op == "store" else None
    if shuffle is None or shuffle.op != "shufflevector":
        return False
    unknown = undefined_elements(shuffle)
    elements = cast(tuple[Any, ...], from_bytes(recorded, store.detail))
    pairs = zip(value, elements, strict=True)
    return all(a == b or k in unknown for k, (a, b) in enumerate(pairs))
