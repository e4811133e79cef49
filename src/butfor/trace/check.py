"""The full replay: every value, address and branch of the run recomputed and compared with what was recorded.

It shares the meaning of instructions with the lazy trace but neither its memory nor its way of finding definitions: it runs forward with
registers per frame and a byte memory of its own. A mismatch is a defect of butfor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from butfor.program.model import Const, Function, Instr, Operand
from butfor.program.segments import AFTER, ENTRY, RET, SETJMP
from butfor.program.types import store_size
from butfor.trace.bytes_memory import ByteMemory
from butfor.trace.log import EVENT, NO_FRAME, READ
from butfor.trace.memory import BIRTH, COPY, FILL, INPUT, WRITE
from butfor.trace.sameness import same_but_open, same_but_undefined
from butfor.trace.semantics import Closure, SemanticsError, compile_instr, from_bytes, intrinsic, to_bytes
from butfor.trace.semantics_int import read_modify_write
from butfor.trace.static import StaticSegment
from butfor.trace.trace import Trace

_MAX_SHOWN = 20
_DEAD_STACK = 1 << 16
_NO_SITE = 0xFFFFFFFF
_POISON = object()  # a register whose value the recording cannot give: never compared


@dataclass(slots=True)
class CheckResult:
    """What the replay compared, and where it disagreed."""

    instructions: int = 0
    loads: int = 0
    stores: int = 0
    branches: int = 0
    from_outside: int = 0
    mismatches: int = 0
    shown: list[str] = field(default_factory=list)

    def miss(self, text: str) -> None:
        """Counts one mismatch."""
        self.mismatches += 1
        if len(self.shown) < _MAX_SHOWN:
            self.shown.append(text)


class _Frame:
    __slots__ = ("base", "block", "came_from", "fn", "low", "regs")

    def __init__(self, fn: Function, base: int) -> None:
        self.fn = fn
        self.base = base
        self.low = base  # the lowest address of the frame's own variables
        self.regs: dict[int, Any] = {}
        self.block = 0
        self.came_from = -1


def check(trace: Trace, limit: int | None = None) -> CheckResult:
    """The comparison of the whole run, or of its first `limit` segments."""
    return _Replay(trace).run(limit)


class _Replay:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self.result = CheckResult()
        self.memory = ByteMemory()
        self.frames: dict[int, _Frame] = {}
        self.closures: dict[int, Closure | None] = {}
        self.return_value: Any = _POISON
        self.args: tuple[str | None, list[Any]] | None = None
        self.reads = 0
        self.copied: set[tuple[int, int]] = set()  # (calling segment, address) of struct arguments, copied when the callee began
        self.i = 0

    def run(self, limit: int | None) -> CheckResult:
        log, trace = self.log, self.trace
        count = len(log) if limit is None else min(limit, len(log))
        for i in range(count):
            self.i = i
            s = trace.at(i)
            f = self._enter(i, s)
            self._segment(i, s, f, i == len(log) - 1)
        return self.result

    def _enter(self, i: int, s: StaticSegment) -> _Frame:
        number = self.log.frame_of(i)
        f = self.frames.get(number)
        if s.seg.flags & ENTRY:
            base = int(self.log.frame["base"][number])
            f = _Frame(s.fn, base)
            self.frames[number] = f
            self.memory.forget(base, s.layout.frame_size)
            self._bind(f, number)
            self._forget_arguments(number, f, s.layout.frame_size)
            self._copy_arguments(i, f)
        assert f is not None, (i, number)
        if f.fn is not s.fn:
            self.result.miss(f"segment {i}: recorded in {s.fn.name}, but the frame is of {f.fn.name}")
        if s.seg.start == s.fn.blocks[s.seg.block].start:
            f.came_from, f.block = f.block, s.seg.block
        return f

    def _bind(self, f: _Frame, number: int) -> None:
        args = self.args
        self.args = None
        for k in range(len(f.fn.params)):
            f.regs[k] = _POISON
        caller = int(self.log.frame["parent"][number])
        if args is None or caller == NO_FRAME:
            return
        if args[0] == f.fn.name:
            for k, v in enumerate(args[1][: len(f.fn.params)]):
                f.regs[k] = v

    def _forget_arguments(self, number: int, f: _Frame, size: int) -> None:
        """Makes unknown what a call of a variadic function put on the stack, between the callee's frame and the caller's variables."""
        caller = self.frames.get(int(self.log.frame["parent"][number]))
        if f.fn.variadic and caller is not None and 0 < caller.low - f.base - size < 1 << 20:
            self.memory.forget(f.base + size, caller.low - f.base - size)

    def _copy_arguments(self, i: int, f: _Frame) -> None:
        """Gives the callee its own copies of struct arguments."""
        for k, size in enumerate(f.fn.byval):
            if not size:
                continue
            source, copy = f.regs[k], self.trace.byval_address(i, k)
            f.regs[k] = copy
            self.copied.add((int(self.log.frame["caller"][self.log.frame_of(i)]), copy))
            if source is _POISON:
                self.memory.forget(copy, size)
            else:
                self.memory.copy(copy, source, size)

    def _value(self, f: _Frame, op: Operand) -> Any:
        if isinstance(op, Const):
            return self.trace.constant(op)
        return f.regs.get(op, _POISON)

    def _segment(self, i: int, s: StaticSegment, f: _Frame, is_last: bool) -> None:
        seg, log = s.seg, self.log
        loads, stores, size, addresses, words = log.before(i)
        if seg.flags & AFTER:
            self._events(log.previous_in_frame(i), _NO_SITE)
            self._after_call(i, s, f, words)
        entry = _Cursor(loads, stores, size, addresses)
        instrs = s.fn.instrs
        if seg.start == s.fn.blocks[seg.block].start:
            self._phis(s, f)
        for n in range(seg.start, seg.end):
            instr = instrs[n]
            if is_last and self._beyond(s, n, entry):
                return
            self.result.instructions += 1
            self._instr(i, s, f, instr, entry)
        if seg.flags & RET:
            self._leave(s, f, i)

    def _beyond(self, s: StaticSegment, n: int, at: _Cursor) -> bool:
        """Whether the run ended before this instruction of the last segment."""
        e = s.layout.effects.get(n)
        if e is None:
            return False
        return bool((e.loads and at.load + len(e.loads) > self.log.end.loads) or (e.stores and at.store + len(e.stores) > self.log.end.stores))

    def _phis(self, s: StaticSegment, f: _Frame) -> None:
        new = []
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op != "phi":
                break
            try:
                chosen = instr.args[instr.detail.index(f.came_from)]
            except ValueError:
                self.result.miss(f"{s.fn.name}: a phi was reached from block {f.came_from}, which is not among its predecessors")
                continue
            new.append((instr.slot, self._value(f, chosen)))
        f.regs.update(new)

    def _leave(self, s: StaticSegment, f: _Frame, i: int) -> None:
        last = s.last
        self.return_value = self._value(f, last.args[0]) if last.args else _POISON
        self.frames.pop(self.log.frame_of(i), None)

    def _after_call(self, i: int, s: StaticSegment, f: _Frame, words: int) -> None:
        call = s.fn.instrs[s.seg.start - 1]
        kind = s.layout.kinds[call.index]
        returned, self.return_value = self.return_value, _POISON
        self.args = None
        if call.slot < 0:
            return
        if kind == "internal":
            f.regs[call.slot] = returned
            return
        at = words + (1 if s.seg.flags & SETJMP else 0)
        count = (store_size(call.type) + 7) // 8
        value = from_bytes(self.log.word[at : at + count].tobytes()[: store_size(call.type)], call.type)
        if kind == "indirect" and returned is not _POISON and self._last_was_direct(i, s):
            self._compare(returned, value, f"{s.fn.name}: result of an indirect call")
        f.regs[call.slot] = value

    def _last_was_direct(self, i: int, s: StaticSegment) -> bool:
        before = self.log.previous_in_frame(i)
        call = s.fn.instrs[s.seg.start - 1]
        return i > 0 and self.log.frame_of(i - 1) != self.log.frame_of(i) and self.trace.is_direct_call((before, call.index), self.trace.at(i - 1).fn)

    def _compare(self, mine: Any, recorded: Any, what: str) -> None:
        if mine is not _POISON and mine != recorded:
            self.result.miss(f"segment {self.i}: {what}: computed {mine!r}, recorded {recorded!r}")

    def _instr(self, i: int, s: StaticSegment, f: _Frame, instr: Instr, at: _Cursor) -> None:
        match instr.op:
            case "phi" | "unreachable" | "fence" | "indirectbr":
                return
            case "alloca":
                if instr.slot in s.layout.frame:
                    f.regs[instr.slot] = f.base + s.layout.frame[instr.slot]
                else:
                    word = self.log.before(i)[4] + s.offsets[instr.index][4]
                    f.regs[instr.slot] = int(self.log.word[word])
                    f.low = min(f.low, f.regs[instr.slot])
            case "load":
                f.regs[instr.slot] = self._load(i, f, instr, at, s)
            case "store":
                self._store(i, f, instr, at, s, self._value(f, instr.args[0]), instr.args[1], instr.detail)
            case "atomicrmw" | "cmpxchg":
                self._atomic(i, f, instr, at, s)
            case "br" | "switch":
                self._branch(i, f, instr)
            case "ret":
                return
            case "call":
                self._call(i, s, f, instr)
            case _:
                f.regs[instr.slot] = self._plain(f, instr)

    def _plain(self, f: _Frame, instr: Instr) -> Any:
        for a in instr.args:
            if isinstance(a, int) and f.regs.get(a, _POISON) is _POISON:
                return _POISON
        key = id(instr)
        closure = self.closures.get(key)
        if closure is None:
            closure = compile_instr(instr, self.trace.constant)
            self.closures[key] = closure
        try:
            return closure(f.regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list
        except SemanticsError:
            return _POISON

    def _load(self, i: int, f: _Frame, instr: Instr, at: _Cursor, s: StaticSegment) -> Any:
        data = self._loaded(i, f, instr.args[0], at, s, instr)
        address = self._value(f, instr.args[0])
        if address is not _POISON and f.low - _DEAD_STACK < address < f.low:
            return _POISON  # below the stack: the runtime's own calls have written there since
        return from_bytes(data, instr.type)

    def _loaded(self, i: int, f: _Frame, pointer: Operand, at: _Cursor, s: StaticSegment, instr: Instr) -> bytes:
        address = self._value(f, pointer)
        parts = []
        for size in s.layout.effects[instr.index].loads:
            writer = self.log.writer(at.load, at.store)
            recorded = self.trace.written(writer, size)
            fresh = self._is_fresh(writer)
            self.result.loads += 1
            if address is not _POISON and not f.low - _DEAD_STACK < address < f.low:
                self._compare_load(address, size, recorded, writer, fresh, f)
            if address is not _POISON:
                address += size
            parts.append(recorded)
            at.load += 1
        return b"".join(parts)

    def _is_fresh(self, writer: int) -> bool:
        """Whether a load is the one that first saw this value: irregular reads are numbered as they come."""
        number = (writer & 0x3FFFFFFF) >> 3 if READ <= writer < EVENT else 0
        if number <= self.reads:
            return False
        self.reads = number
        return True

    def _compare_load(self, address: int, size: int, recorded: bytes, writer: int, fresh: bool, f: _Frame) -> None:
        mine = self.memory.read(address, size)
        if mine == recorded:
            return
        if READ <= writer < EVENT:
            r = self.log.read[((writer & 0x3FFFFFFF) >> 3) - 1]
            first = int(r["addr"]) + (writer & 7)
            if first != address:
                self.result.miss(f"segment {self.i} in {f.fn.name}: load address computed {address:#x}, recorded {first:#x}")
        if mine is not None:
            changed = fresh and int(r["flags"])
            if not changed:
                self.result.miss(f"segment {self.i} in {f.fn.name}: load of {address:#x}: computed {mine.hex()}, recorded {recorded.hex()}")
        elif not fresh:
            self.result.miss(f"segment {self.i} in {f.fn.name}: load of {address:#x}: {recorded.hex()} recorded, but not known to be written")
        self.result.from_outside += 1
        self.memory.write(address, recorded)

    def _store(self, i: int, f: _Frame, instr: Instr, at: _Cursor, s: StaticSegment, value: Any, pointer: Operand, t: Any) -> None:
        effects = s.layout.effects[instr.index]
        total = sum(effects.stores)
        recorded = self.log.value[at.byte : at.byte + total].tobytes()
        self.result.stores += len(effects.stores)
        if value is not _POISON:
            mine = to_bytes(value, t)
            if mine != recorded and not same_but_open(mine, recorded, t) and not same_but_undefined(f.fn, instr, value, recorded):
                self.result.miss(f"segment {i} in {f.fn.name}: store of {mine.hex()}, recorded {recorded.hex()}")
        address = self._value(f, pointer)
        if effects.address:
            logged = int(self.log.address[at.address])
            self._compare(address, logged, f"{f.fn.name}: store address")
            address = logged
            at.address += 1
        if address is not _POISON:
            self.memory.write(address, recorded)
        at.store += len(effects.stores)
        at.byte += total

    def _atomic(self, i: int, f: _Frame, instr: Instr, at: _Cursor, s: StaticSegment) -> None:
        t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
        old = from_bytes(self._loaded(i, f, instr.args[0], at, s, instr), t)
        operand = self._value(f, instr.args[1])
        if instr.op == "atomicrmw":
            new = _POISON if operand is _POISON else read_modify_write(instr.detail[0], cast(int, old), operand, t.bits)
            new = _POISON if new is None else new
            f.regs[instr.slot] = old
        else:
            same = old == operand
            new = self._value(f, instr.args[2]) if same else old
            f.regs[instr.slot] = (old, int(same))
        self._store(i, f, instr, at, s, new, instr.args[0], t)

    def _branch(self, i: int, f: _Frame, instr: Instr) -> None:
        if instr.op == "br" and not instr.args:
            return
        value = self._value(f, instr.args[0])
        if value is _POISON:
            return
        if instr.op == "br":
            target = instr.detail[0] if value else instr.detail[1]
        else:
            default, cases, _ = instr.detail
            target = dict(cases).get(value, default)
        j = i + 1
        if j >= len(self.log):
            return
        self.result.branches += 1
        if self.log.frame_of(j) != self.log.frame_of(i):
            return  # a signal handler ran in between
        went = self.trace.at(j).seg.block
        if went != target:
            self.result.miss(f"segment {i} in {f.fn.name}: branch to block {target} computed, block {went} recorded")

    def _call(self, i: int, s: StaticSegment, f: _Frame, instr: Instr) -> None:
        kind = s.layout.kinds[instr.index]
        call = instr.detail
        if kind in ("internal", "indirect"):
            name = call.callee
            values = [self._value(f, a) for a in instr.args[: len(call.arg_types)]]
            if kind == "indirect":
                target = self.trace.indirect_target((i, instr.index))
                self._compare(self._value(f, instr.args[-1]), target, f"{f.fn.name}: target of an indirect call")
                name = self.trace.function_at(target)
            self.args = (name, values)
        elif kind == "external":
            self.args = None
        elif kind == "memory":
            self._events(i, instr.index)
        elif kind == "pure":
            fn = intrinsic(call.callee, call.arg_types, instr.type)
            values = [self._value(f, a) for a in instr.args[: len(call.arg_types)]]
            assert fn is not None
            f.regs[instr.slot] = _POISON if any(v is _POISON for v in values) else fn(*values)
        elif kind in ("opaque", "asm") and instr.slot >= 0:
            f.regs[instr.slot] = from_bytes(self.trace.words(i, s.offsets[instr.index][4], instr.type), instr.type)

    def _events(self, i: int, site: int) -> None:
        """Applies the events that segment i caused at a site; library calls log without one, also after they called back."""
        for k in self.log.events_of(i):
            e = self.log.event[k]
            if int(e["site"]) != site:
                continue
            kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
            if (i, address) in self.copied:
                continue
            if kind == COPY:
                self.memory.copy(address, int(e["addr2"]), length)
            elif kind in (WRITE, INPUT, FILL):
                self.memory.forget(address, length)
            elif kind == BIRTH:
                self.memory.write(address, bytes(length))


@dataclass(slots=True)
class _Cursor:
    load: int
    store: int
    byte: int
    address: int
