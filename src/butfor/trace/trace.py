"""The recorded run as instances of instructions, with the value of any of them on demand.

An instance is `(i, n)`: instruction n in segment instance i. The result of a call that ends a segment belongs to the
segment after it; in its own segment the pair stands for the act of calling. `(i, ~k)` with i the entry of a frame is
the frame's parameter k.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Type, store_size
from butfor.ir.program import Program
from butfor.ir.recording_segments import ENTRY, RET
from butfor.trace.last_writers import LastWriters
from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import FIRST_READ_ID, NO_FRAME, NO_SEGMENT, WINDOW, record_number
from butfor.trace.log.static_segments import StaticSegment, StaticTable
from butfor.trace.semantics.instruction_semantics import (
    Closure,
    SemanticsError,
    TrapError,
    compile_instr,
    evaluate_const,
    from_bytes,
    intrinsic,
)

Node = tuple[int, int]
_MAX_CACHED_SEGMENTS = 1_000_000  # segment instances; some 100 MB
_MAX_CACHED_VALUES = 2_000_000  # instances; some 400 MB
_MAX_PENDING_VALUES = 1_000_000  # instances that wait for their operands; more means a cycle in a damaged log
_MAX_FRAMES_SEARCHED = 64  # for the owner of a stack address, innermost first; deeper ones are hardly ever passed down


class UnknownValue(Exception):
    """A value that the recording does not determine (a parameter passed by library code, say)."""


class Trace:
    """A program and the log of one run of it."""

    def __init__(
        self, static: StaticTable, log: Log, addresses: dict[str, int], labels: dict[tuple[str, str], int] | None = None
    ) -> None:
        self.static = static
        self.program: Program = static.program
        self.log = log
        self.addresses = addresses
        self.labels = labels or {}
        self._names = {address: name for name, address in reversed(addresses.items())}
        streams = frozenset(addresses[name] for name in ("stdin", "stdout", "stderr") if name in addresses)
        self.last_writers = LastWriters(log, unchanging=streams)
        self._segments: dict[int, StaticSegment] = {}
        self._values: dict[Node, Any] = {}
        self._closures: dict[tuple[str, int], Closure] = {}
        self._consts: dict[int, tuple[Const, Any]] = {}

    def __len__(self) -> int:
        return len(self.log)

    # --- structure ------------------------------------------------------------------------------------------

    def at(self, i: int) -> StaticSegment:
        """The static segment of a segment instance."""
        found = self._segments.get(i)
        if found is None:
            if not 0 <= i < len(self.log):
                raise UnknownValue("the recording does not hold this part of the run")
            if len(self._segments) > _MAX_CACHED_SEGMENTS:
                self._segments.clear()
            found = self.static[self.log.segment(i)]
            self._segments[i] = found
        return found

    def instr(self, node: Node) -> Instr:
        """The instruction of an instance (not of a parameter)."""
        return self.at(node[0]).fn.instrs[node[1]]

    @cached_property
    def executed_functions(self) -> tuple[str, ...]:
        """The functions of which anything ran, in the order of the program."""
        owners = sorted(set(self.log.table[self.log.counts > 0, 6].tolist()))
        return tuple(self.program.names[o] for o in owners)

    def frame_entry(self, i: int) -> int:
        """The segment instance at which the frame of this one began."""
        return int(self.log.frame["entry"][self.log.frame_of(i)])

    def begins_frame(self, i: int) -> bool:
        """Whether a frame begins with this segment instance."""
        return bool(self.at(i).seg.flags & ENTRY)

    def frame_holding(self, address: int, i: int) -> int | None:
        """The frame under way in segment instance i whose local variables an address is among."""
        frame = self.log.frame_of(i)
        for _ in range(_MAX_FRAMES_SEARCHED):
            if frame == NO_FRAME:
                return None
            base = int(self.log.frame["base"][frame])
            if base <= address < base + self.at(int(self.log.frame["entry"][frame])).layout.frame_size:
                return frame
            frame = int(self.log.frame["parent"][frame])
        return None

    def call_of(self, i: int) -> Node | None:
        """The call instance that led to this frame; the call of a library function when that called back."""
        f = self.log.frame_of(i)
        if int(self.log.frame["parent"][f]) == NO_FRAME:
            return None
        c = int(self.log.frame["caller"][f])
        if c == NO_SEGMENT:
            return None
        call = self.at(c).call
        return (c, call.index) if call is not None else None

    def is_direct_call(self, call: Node, fn: Function) -> bool:
        """Whether the call instance called this function itself, not library code that called back."""
        detail = self.instr(call).detail
        if detail.callee is not None:
            return bool(detail.callee == fn.name)
        return self.indirect_target(call) == self.addresses.get(fn.name)

    def indirect_target(self, call: Node) -> int:
        """The address that an indirect call went to."""
        s = self.at(call[0])
        return int(self.log.word[self.log.counts_before(call[0]).words + s.offsets[call[1]].words])

    def function_at(self, address: int) -> str | None:
        """The name of the function at an address."""
        name = self._names.get(address)
        return name if name in self.program.source.function_names() else None

    def definition(self, i: int, slot: int) -> Node:
        """The instance that defined a register as it is seen in segment instance i."""
        s = self.at(i)
        d = s.fn.definer[slot]
        if d < 0:
            return self.frame_entry(i), ~slot
        if slot in s.layout.frame:
            return self.frame_entry(i), d
        number = self.static.defining_segment(s.fn, d)
        while self.log.segment(i) != number:
            i = self.log.previous_in_frame(i)
            if i < 0:
                raise UnknownValue(f"register {slot} of {s.fn.name} has no definition in its frame")
        return i, d

    # --- loads and stores -----------------------------------------------------------------------------------

    def writers(self, node: Node) -> list[tuple[int, int]]:
        """(writer id, size) of each part of a load."""
        i, n = node
        s = self.at(i)
        before, offset = self.log.counts_before(i), s.offsets[n]
        first, stores, sizes = before.loads + offset.loads, before.stores + offset.stores, s.layout.effects[n].loads
        if first + len(sizes) > len(self.log.load):
            raise UnknownValue("the load was not completed")
        return [(self.log.writer(first + k, stores), size) for k, size in enumerate(sizes)]

    def loaded_bytes(self, node: Node) -> bytes:
        """The bytes that a load read."""
        return b"".join(self.written_bytes(w, size) for w, size in self.writers(node))

    def written_bytes(self, writer: int, size: int) -> bytes:
        """Bytes of what a writer left, from the one that its id names."""
        first = writer & 7
        if writer >= FIRST_READ_ID:
            return int(self.log.read[record_number(writer) - 1]["value"]).to_bytes(8, "little")[first : first + size]
        at, _ = self.find_store(writer >> 3)
        return self.log.value[at + first : at + first + size].tobytes()

    def find_store(self, number: int) -> tuple[int, Node]:
        """Where the value of store `number` begins in the log, and the instance that made it."""
        i = self.log.segment_of_store(number)
        s = self.at(i)
        before = self.log.counts_before(i)
        k = number - 1 - before.stores
        for n, offset in s.offsets.items():
            sizes = s.layout.effects[n].stores
            if offset.stores <= k < offset.stores + len(sizes):
                return before.bytes + offset.bytes + sum(sizes[: k - offset.stores]), (i, n)
        raise UnknownValue(f"store {number} is not in its segment")

    def store_of_address(self, number: int) -> Node:
        """The instance that logged address `number` (counted from 0)."""
        i = self.log.segment_of_address(number)
        s, k = self.at(i), number - self.log.counts_before(i).addresses
        for n, offset in s.offsets.items():
            if offset.addresses == k and s.layout.effects[n].address:
                return i, n
        raise UnknownValue(f"address {number} is not in its segment")

    def stored_bytes(self, node: Node) -> bytes:
        """The bytes that a store instance wrote."""
        i, n = node
        s = self.at(i)
        at = self.log.counts_before(i).bytes + s.offsets[n].bytes
        return self.log.value[at : at + sum(s.layout.effects[n].stores)].tobytes()

    def logged_bytes(self, i: int, offset: int, t: Type) -> bytes:
        """The bytes of a value in the column of words, `offset` words after those logged before the segment."""
        at = self.log.counts_before(i).words + offset
        size = store_size(t)
        if at + (size + 7) // 8 > len(self.log.word):
            raise UnknownValue("the run ended before the call returned")
        return self.log.word[at : at + (size + 7) // 8].tobytes()[:size]

    # --- values ---------------------------------------------------------------------------------------------

    def constant(self, c: Const) -> Any:
        """The value of a constant."""
        known = self._consts.get(id(c))
        if known is None:
            known = (
                c,
                evaluate_const(c, lambda name: self.addresses.get(name, 0), lambda fn, label: self.labels[fn, label]),
            )
            self._consts[id(c)] = known
        return known[1]

    def operand(self, i: int, op: Operand) -> Any:
        """The value of an operand as seen in segment instance i."""
        return self.constant(op) if isinstance(op, Const) else self.value(self.definition(i, op))

    def value(self, node: Node) -> Any:
        """The value of an instance's result."""
        values = self._values
        if node in values:
            return values[node]
        stack = [node]
        while stack:
            top = stack[-1]
            if top in values:
                stack.pop()
                continue
            needs = [d for d in self._inputs(top) if d not in values]
            if needs:
                if len(stack) > _MAX_PENDING_VALUES:
                    raise UnknownValue("the value depends on itself")
                stack.extend(needs)
            else:
                values[top] = self._compute(top)
                stack.pop()
        if len(values) > _MAX_CACHED_VALUES:
            result = values[node]
            values.clear()
            return result
        return values[node]

    def _inputs(self, node: Node) -> list[Node]:
        """The instances whose values are needed to compute this one's."""
        i, n = node
        if n < 0:
            return self._parameter_inputs(i, ~n)
        s = self.at(i)
        instr = s.fn.instrs[n]
        match instr.op:
            case "load" | "alloca" | "atomicrmw" | "cmpxchg":
                return []
            case "call":
                kind = s.layout.kinds[n]
                if kind == "internal":
                    return self._returned(i)
                return [self.definition(i, a) for a in instr.args if isinstance(a, int)] if kind == "pure" else []
            case "phi":
                chosen, at = self.phi_choice(node)
                return [self.definition(at, chosen)] if isinstance(chosen, int) else []
            case _:
                return [self.definition(i, a) for a in instr.args if isinstance(a, int)]

    def phi_choice(self, node: Node) -> tuple[Operand, int]:
        """The operand that a phi took, and the segment instance of the block it came from."""
        i, n = node
        instr = self.at(i).fn.instrs[n]
        before = self.log.previous_in_frame(i)
        if before < 0:
            raise UnknownValue("the block before was left before the recorded part of the run")
        block = self.at(before).seg.block
        return instr.args[instr.detail.index(block)], before

    def return_instance(self, i: int) -> Node | None:
        """The return whose value the segment after a call sees."""
        if i == 0 or self.log.frame_of(i - 1) == self.log.frame_of(i):
            return None
        s = self.at(i - 1)
        return (i - 1, s.last.index) if s.seg.flags & RET else None

    def _returned(self, i: int) -> list[Node]:
        """The definition of the value that the function called before segment instance i returned."""
        ret = self.return_instance(i)
        if ret is None:
            raise UnknownValue("the call did not return")
        args = self.instr(ret).args
        return [self.definition(ret[0], a) for a in args if isinstance(a, int)]

    def _parameter_store(self, i: int, k: int) -> Node | None:
        """The store by which a function saves parameter k, if it does so at its entry."""
        s = self.at(i)
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op == "store" and instr.args[0] == k:
                return i, n
        return None

    def byval_address(self, i: int, k: int) -> int:
        """Where the callee's copy of a struct argument lies; the copies are the first objects of a frame."""
        before = sum(1 for size in self.at(i).fn.byval[:k] if size)
        return int(self.log.object[int(self.log.frame["object"][self.log.frame_of(i)]) + before]["start"])

    def _parameter_inputs(self, i: int, k: int) -> list[Node]:
        if self.at(i).fn.byval[k] or self._parameter_store(i, k) is not None:
            return []
        call = self.call_of(i)
        if call is None or not self.is_direct_call(call, self.at(i).fn):
            raise UnknownValue("the parameter was passed by library code")
        arg = self.instr(call).args[k]
        return [self.definition(call[0], arg)] if isinstance(arg, int) else []

    def _compute(self, node: Node) -> Any:
        i, n = node
        if n < 0:
            return self._parameter(i, ~n)
        s = self.at(i)
        instr = s.fn.instrs[n]
        match instr.op:
            case "load":
                return from_bytes(self.loaded_bytes(node), instr.type)
            case "atomicrmw":
                return from_bytes(self.loaded_bytes(node), instr.type)
            case "cmpxchg":
                old = from_bytes(self.loaded_bytes(node), instr.detail)
                return (old, int(old == self.operand(i, instr.args[1])))
            case "alloca":
                if instr.slot in s.layout.frame:
                    return int(self.log.frame["base"][self.log.frame_of(i)]) + s.layout.frame[instr.slot]
                return int.from_bytes(self.logged_bytes(i, s.offsets[n].words, instr.type), "little")
            case "phi":
                chosen, at = self.phi_choice(node)
                return self.operand(at, chosen)
            case "call":
                return self._call_value(node, s, instr)
            case _:
                return self._plain(i, s, instr)

    def _plain(self, i: int, s: StaticSegment, instr: Instr) -> Any:
        key = (s.fn.name, instr.index)
        closure = self._closures.get(key)
        if closure is None:
            try:
                closure = compile_instr(instr, self.constant)
            except SemanticsError as e:
                raise UnknownValue(str(e)) from e
            self._closures[key] = closure
        regs = {a: self._values[self.definition(i, a)] for a in instr.args if isinstance(a, int)}
        try:
            return closure(regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list
        except TrapError as e:  # the run went on, so an operand differed: it was read from uninitialised memory
            raise UnknownValue(str(e)) from e

    def _call_value(self, node: Node, s: StaticSegment, instr: Instr) -> Any:
        i, n = node
        kind = s.layout.kinds[n]
        if kind == "internal":
            ret = self.return_instance(i)
            assert ret is not None
            args = self.instr(ret).args
            if not args:
                raise UnknownValue("the function returned nothing")
            return self.operand(ret[0], args[0])
        if kind == "pure":
            fn = intrinsic(instr.detail.callee, instr.detail.arg_types, instr.type)
            assert fn is not None
            return fn(*(self.operand(i, a) for a in instr.args[: len(instr.detail.arg_types)]))
        if kind in ("opaque", "asm"):
            return from_bytes(self.logged_bytes(i, s.offsets[n].words, instr.type), instr.type)
        return from_bytes(self.logged_bytes(i, int(s.has_setjmp), instr.type), instr.type)

    def _parameter(self, i: int, k: int) -> Any:
        if self.at(i).fn.byval[k]:
            return self.byval_address(i, k)
        store = self._parameter_store(i, k)
        if store is not None:
            return from_bytes(self.stored_bytes(store), self.instr(store).detail)
        call = self.call_of(i)
        assert call is not None
        return self.operand(call[0], self.instr(call).args[k])

    # --- control --------------------------------------------------------------------------------------------

    def next_in_frame(self, i: int) -> int:
        """The segment instance that follows another one in its frame, or -1 when the run ended there."""
        frame = self.log.frame_of(i)
        j = i + 1
        while j < len(self.log):
            if j % WINDOW == 0:
                j = self._still_in_callee(frame, j // WINDOW) * WINDOW
                if j < 0:
                    return -1
            f = self.log.frame_of(j)
            if f == frame:
                return j
            if int(self.log.frame["parent"][f]) == NO_FRAME:
                return -1
            j += 1
        return -1

    def _still_in_callee(self, frame: int, window: int) -> int:
        """The last window, from this one on, before which the frame cannot have gone on; -1 where it has been left.

        That is as long as the call that it made is under way, which a checkpoint tells.
        """
        under_way, parents = self.log.check["frame"], self.log.frame["parent"]
        callee = f = int(under_way[window])
        while f > frame and f != NO_FRAME:
            callee, f = f, int(parents[f])
        if f != frame:
            return -1
        if callee == frame:
            return window
        low, step = window, 1  # the call is under way at the start of window `low`
        while low + step < len(under_way) and self._is_within(callee, int(under_way[low + step])):
            low, step = low + step, step * 2
        high = min(low + step, len(under_way))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_within(callee, int(under_way[middle])) else (low, middle)
        return low

    def _is_within(self, frame: int, f: int) -> bool:
        """Whether a frame is another one, or was called from it at any depth."""
        parents = self.log.frame["parent"]
        while f > frame and f != NO_FRAME:
            f = int(parents[f])
        return f == frame
