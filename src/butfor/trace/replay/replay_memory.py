"""Memory in the full replay: every load and store compared with what was recorded."""

from __future__ import annotations

from typing import Any, cast

from butfor.ir.instructions import Instr, Operand
from butfor.ir.machine_types import Type
from butfor.trace.last_writers import BIRTH, COPY, FILL, INPUT, WRITE
from butfor.trace.log.columns import EVENT, READ
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.replay.byte_memory import ByteMemory
from butfor.trace.replay.replay_cursor import Cursor
from butfor.trace.replay.replay_frames import Frame
from butfor.trace.replay.replay_result import POISON, CheckResult
from butfor.trace.replay.value_sameness import same_but_open, same_but_undefined
from butfor.trace.semantics.instruction_semantics import from_bytes, to_bytes
from butfor.trace.semantics.integers import read_modify_write
from butfor.trace.trace import Trace

_DEAD_STACK = 1 << 16
_LARGEST_ARGUMENTS = 1 << 20


class CheckedMemory:
    """Bytes as the replay leaves them; mismatches are counted in `result`."""

    def __init__(self, trace: Trace, result: CheckResult) -> None:
        self.trace = trace
        self.log = trace.log
        self.result = result
        self._known = ByteMemory()
        self._reads = 0
        self._copied: set[tuple[int, int]] = (
            set()
        )  # (calling segment, address) of struct arguments, copied when the callee began

    def begin(self, i: int, f: Frame, size: int, caller: Frame | None) -> None:
        """What the call that begins with segment i does to memory; the frame has `size` bytes."""
        self._known.forget(f.base, size)
        # what a call of a variadic function put on the stack, between the callee's frame and the caller's variables
        if f.fn.variadic and caller is not None and 0 < caller.low - f.base - size < _LARGEST_ARGUMENTS:
            self._known.forget(f.base + size, caller.low - f.base - size)
        self._copy_arguments(i, f)

    def _copy_arguments(self, i: int, f: Frame) -> None:
        """Gives the callee its own copies of struct arguments."""
        for k, size in enumerate(f.fn.byval):
            if not size:
                continue
            source, copy = f.regs[k], self.trace.byval_address(i, k)
            f.regs[k] = copy
            self._copied.add((int(self.log.frame["caller"][self.log.frame_of(i)]), copy))
            if source is POISON:
                self._known.forget(copy, size)
            else:
                self._known.copy(copy, source, size)

    def load(self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: Cursor) -> Any:
        """The value that a load gave."""
        data = self._loaded(i, s, f, instr, at)
        address = f.value(instr.args[0])
        if address is not POISON and _is_dead(address, f):
            return POISON  # the runtime's own calls have written there since
        return from_bytes(data, instr.type)

    def _loaded(self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: Cursor) -> bytes:
        address = f.value(instr.args[0])
        parts = []
        for size in s.layout.effects[instr.index].loads:
            writer = self.log.writer(at.load, at.store)
            recorded = self.trace.written(writer, size)
            fresh = self._is_fresh(writer)
            self.result.loads += 1
            if address is not POISON and not _is_dead(address, f):
                self._compare_load(i, address, size, recorded, writer, fresh, f)
            if address is not POISON:
                address += size
            parts.append(recorded)
            at.load += 1
        return b"".join(parts)

    def _is_fresh(self, writer: int) -> bool:
        """Whether a load is the one that first saw this value: irregular reads are numbered as they come."""
        number = (writer & 0x3FFFFFFF) >> 3 if READ <= writer < EVENT else 0
        if number <= self._reads:
            return False
        self._reads = number
        return True

    def _compare_load(
        self, i: int, address: int, size: int, recorded: bytes, writer: int, fresh: bool, f: Frame
    ) -> None:
        mine = self._known.read(address, size)
        if mine == recorded:
            return
        if READ <= writer < EVENT:
            r = self.log.read[((writer & 0x3FFFFFFF) >> 3) - 1]
            first = int(r["addr"]) + (writer & 7)
            if first != address:
                self.result.miss(f"segment {i} in {f.fn.name}: load address computed {address:#x}, recorded {first:#x}")
        if mine is not None:
            changed = fresh and int(r["flags"])
            if not changed:
                self.result.miss(
                    f"segment {i} in {f.fn.name}: load of {address:#x}: computed {mine.hex()}, recorded {recorded.hex()}"
                )
        elif not fresh:
            self.result.miss(
                f"segment {i} in {f.fn.name}: load of {address:#x}: {recorded.hex()} recorded, but not known to be written"
            )
        self.result.from_outside += 1
        self._known.write(address, recorded)

    def store(self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: Cursor) -> None:
        """A store, with its value and its address."""
        self._stored(i, s, f, instr, at, f.value(instr.args[0]), instr.args[1], instr.detail)

    def _stored(
        self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: Cursor, value: Any, pointer: Operand, t: Type
    ) -> None:
        effects = s.layout.effects[instr.index]
        total = sum(effects.stores)
        recorded = self.log.value[at.byte : at.byte + total].tobytes()
        self.result.stores += len(effects.stores)
        if value is not POISON:
            mine = to_bytes(value, t)
            if (
                mine != recorded
                and not same_but_open(mine, recorded, t)
                and not same_but_undefined(f.fn, instr, value, recorded)
            ):
                self.result.miss(f"segment {i} in {f.fn.name}: store of {mine.hex()}, recorded {recorded.hex()}")
        address = f.value(pointer)
        if effects.address:
            logged = int(self.log.address[at.address])
            self.result.compare(i, address, logged, f"{f.fn.name}: store address")
            address = logged
            at.address += 1
        if address is not POISON:
            self._known.write(address, recorded)
        at.store += len(effects.stores)
        at.byte += total

    def atomic(self, i: int, s: StaticSegment, f: Frame, instr: Instr, at: Cursor) -> Any:
        """The result of a read and write in one."""
        t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
        old = from_bytes(self._loaded(i, s, f, instr, at), t)
        operand = f.value(instr.args[1])
        if instr.op == "atomicrmw":
            new = POISON if operand is POISON else read_modify_write(instr.detail[0], cast(int, old), operand, t.bits)
            new = POISON if new is None else new
            result: Any = old
        else:
            same = old == operand
            new = f.value(instr.args[2]) if same else old
            result = (old, int(same))
        self._stored(i, s, f, instr, at, new, instr.args[0], t)
        return result

    def events(self, i: int, site: int) -> None:
        """Applies the events that segment i caused at a site; library calls log without one, also after they called back."""
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["site"]) != site:
                continue
            kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
            if (i, address) in self._copied:
                continue
            if kind == COPY:
                self._known.copy(address, int(e["addr2"]), length)
            elif kind in (WRITE, INPUT, FILL):
                self._known.forget(address, length)
            elif kind == BIRTH:
                self._known.write(address, bytes(length))


def _is_dead(address: int, f: Frame) -> bool:
    """Whether an address lies below the stack."""
    return f.low - _DEAD_STACK < address < f.low
