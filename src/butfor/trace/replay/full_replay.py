"""The full replay: every value, address and branch recomputed and compared with what was recorded.

It shares the semantics of instructions with the lazy trace, but neither its memory nor its search for definitions:
it runs forward with registers per frame and a byte memory of its own. A mismatch is a defect of butfor.
"""

from __future__ import annotations

from typing import Any

from butfor.ir.instructions import Instr
from butfor.ir.machine_types import store_size
from butfor.ir.recording_segments import AFTER, ENTRY, RET, SETJMP
from butfor.trace.log.record_layout import NO_SITE
from butfor.trace.log.static_segments import LogCursor, StaticSegment
from butfor.trace.replay.replay_kernel import replayed
from butfor.trace.replay.replay_memory import CheckedMemory
from butfor.trace.replay.replay_state import NO_BLOCK, UNKNOWN, ReplayFrame, ReplayFrames, ReplayResult
from butfor.trace.semantics.instruction_semantics import Closure, SemanticsError, compile_instr, from_bytes, intrinsic
from butfor.trace.trace import Trace


def check_recording(trace: Trace, limit: int | None = None) -> ReplayResult:
    """The comparison of the whole run, or of its first `limit` segments."""
    return (replayed(trace) if limit is None else None) or Replay(trace).run(limit)


class Replay:
    """One replay from the start of the run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self.result = ReplayResult()
        self.memory = CheckedMemory(trace, self.result)
        self.frames = ReplayFrames(trace)
        self._closures: dict[int, Closure] = {}

    def run(self, limit: int | None) -> ReplayResult:
        """What was compared in the first `limit` segments, or in all."""
        count = len(self.log) if limit is None else min(limit, len(self.log))
        for i in range(count):
            s = self.trace.at(i)
            self._segment(i, s, self.enter(i, s), i == len(self.log) - 1)
        return self.result

    def enter(self, i: int, s: StaticSegment) -> ReplayFrame:
        """The frame in which segment i runs, a new one if a call begins with it."""
        if s.seg.flags & ENTRY:
            number = self.log.frame_of(i)
            f = self.frames.begin(number, s.fn)
            self.memory.begin(i, f, s.layout.frame_size, self.frames.caller(number))
        else:
            f = self.frames.frame_at(i)
        if f.fn is not s.fn:
            self.result.miss(f"segment {i}: recorded in {s.fn.name}, but the frame is of {f.fn.name}")
        if s.seg.start == s.fn.blocks[s.seg.block].start:
            f.came_from, f.block = f.block, s.seg.block
        return f

    def _segment(self, i: int, s: StaticSegment, f: ReplayFrame, is_last: bool) -> None:
        seg, log = s.seg, self.log
        loads, stores, size, addresses, words = log.counts_before(i)
        if seg.flags & AFTER:
            self.memory.events(log.previous_in_frame(i), NO_SITE)
            self.after_call(i, s, f, words)
        at = LogCursor(loads, stores, size, addresses)
        instrs = s.fn.instrs
        if seg.start == s.fn.blocks[seg.block].start:
            self._phis(s, f)
        for n in range(seg.start, seg.end):
            if is_last and at.is_past_end(log, s, n):
                return
            self.result.instructions += 1
            self.instr(i, s, f, instrs[n], at)
        if seg.flags & RET:
            self.frames.end(i, f.value(s.last.args[0]) if s.last.args else UNKNOWN)

    def _phis(self, s: StaticSegment, f: ReplayFrame) -> None:
        new = []
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op != "phi":
                break
            if f.came_from == NO_BLOCK:
                new.append((instr.slot, UNKNOWN))
                continue
            try:
                chosen = instr.args[instr.detail.index(f.came_from)]
            except ValueError:
                self.result.miss(
                    f"{s.fn.name}: a phi was reached from block {f.came_from}, which is not among its predecessors"
                )
                continue
            new.append((instr.slot, f.value(chosen)))
        f.regs.update(new)

    def instr(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr, at: LogCursor) -> None:
        """Execute one instruction."""
        match instr.op:
            case "phi" | "unreachable" | "fence" | "indirectbr" | "ret":
                return
            case "alloca":
                self._place(i, s, f, instr)
            case "load":
                f.regs[instr.slot] = self.memory.load(i, s, f, instr, at)
            case "store":
                self.memory.store(i, s, f, instr, at)
            case "atomicrmw" | "cmpxchg":
                f.regs[instr.slot] = self.memory.atomic(i, s, f, instr, at)
            case "br" | "switch":
                self._branch(i, f, instr)
            case "call":
                self._call(i, s, f, instr)
            case _:
                f.regs[instr.slot] = self._plain(f, instr)

    def _place(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr) -> None:
        """Set the register of an alloca to where the variable lies."""
        if instr.slot in s.layout.frame:
            f.regs[instr.slot] = f.base + s.layout.frame[instr.slot]
        else:
            f.regs[instr.slot] = int(self.log.word[self.log.counts_before(i).words + s.offsets[instr.index].words])
            f.low = min(f.low, f.regs[instr.slot])

    def _plain(self, f: ReplayFrame, instr: Instr) -> Any:
        for a in instr.args:
            if isinstance(a, int) and f.regs.get(a, UNKNOWN) is UNKNOWN:
                return UNKNOWN
        closure = self._closures.get(id(instr))
        if closure is None:
            closure = self._closures[id(instr)] = compile_instr(instr, self.trace.constant)
        try:
            return closure(f.regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list
        except SemanticsError:
            return UNKNOWN

    def _branch(self, i: int, f: ReplayFrame, instr: Instr) -> None:
        if instr.op == "br" and not instr.args:
            return
        value = f.value(instr.args[0])
        if value is UNKNOWN:
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

    def _call(self, i: int, s: StaticSegment, f: ReplayFrame, instr: Instr) -> None:
        kind = s.layout.kinds[instr.index]
        call = instr.detail
        if kind in ("internal", "indirect"):
            name = call.callee
            values = [f.value(a) for a in instr.args[: len(call.arg_types)]]
            if kind == "indirect":
                target = self.trace.indirect_target((i, instr.index))
                self.result.compare(i, f.value(instr.args[-1]), target, f"{f.fn.name}: target of an indirect call")
                name = self.trace.function_at(target)
            self.frames.pending_call = (name, values)
        elif kind == "external":
            self.frames.pending_call = None
        elif kind == "memory":
            self.memory.events(i, instr.index)
        elif kind == "pure":
            fn = intrinsic(call.callee, call.arg_types, instr.type)
            values = [f.value(a) for a in instr.args[: len(call.arg_types)]]
            assert fn is not None
            f.regs[instr.slot] = UNKNOWN if any(v is UNKNOWN for v in values) else fn(*values)
        elif kind in ("opaque", "asm") and instr.slot >= 0:
            f.regs[instr.slot] = from_bytes(
                self.trace.logged_bytes(i, s.offsets[instr.index].words, instr.type), instr.type
            )

    def after_call(self, i: int, s: StaticSegment, f: ReplayFrame, words: int) -> None:
        """Set the register of the call before segment i to its result; `words` is where the segment's words begin."""
        call = s.fn.instrs[s.seg.start - 1]
        kind = s.layout.kinds[call.index]
        returned = self.frames.take_returned()
        if call.slot < 0:
            return
        if kind == "internal":
            f.regs[call.slot] = returned
            return
        at = words + (1 if s.seg.flags & SETJMP else 0)
        count = (store_size(call.type) + 7) // 8
        value = from_bytes(self.log.word[at : at + count].tobytes()[: store_size(call.type)], call.type)
        if kind == "indirect" and returned is not UNKNOWN and self._last_was_direct(i, s):
            self.result.compare(i, returned, value, f"{s.fn.name}: result of an indirect call")
        f.regs[call.slot] = value

    def _last_was_direct(self, i: int, s: StaticSegment) -> bool:
        before = self.log.previous_in_frame(i)
        call = s.fn.instrs[s.seg.start - 1]
        return (
            before >= 0
            and self.log.frame_of(i - 1) != self.log.frame_of(i)
            and self.trace.is_direct_call((before, call.index), self.trace.at(i - 1).fn)
        )
