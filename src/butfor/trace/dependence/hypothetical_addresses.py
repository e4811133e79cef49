"""What an arm that was not taken would have written to: addresses computed as if a branch had gone the other way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ir.branch_paths import BranchPaths
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import store_size
from butfor.ir.may_define import MayDefine
from butfor.ir.points_to.may_write import AbstractCell
from butfor.trace.dependence.object_at_address import Home, Homes
from butfor.trace.log.record_layout import EventKind
from butfor.trace.semantics.instruction_semantics import Closure, SemanticsError, TrapError, compile_instr, from_bytes
from butfor.trace.trace import Node, Trace, UnknownValue

_NEAR = 64
_MOST_SEARCHED = 1000  # addresses whose stores are looked for in the whole log
_LONGEST_SEARCHED = 5_000_000
_WRITING = (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT, EventKind.BIRTH)
_NOT_SUPPOSED = frozenset(("phi", "call", "atomicrmw", "cmpxchg", "va_arg", "load"))


@dataclass(frozen=True, slots=True)
class _Turn:
    """A branch, and the way that it is supposed to have gone: the instance, the block it would have gone to, whether this goes on with a loop.

    Inside a call that the arm would have made, `fn` is what it calls and `call` the call, which the turn `outer` has led to.
    """

    fn: Function
    p: int
    branch: int
    target: int
    repeats: bool
    outer: _Turn | None = None
    call: Instr | None = None


class Supposed:
    """Computes addresses from the values that variables and memory had when a branch was decided."""

    def __init__(self, trace: Trace, may: MayDefine, homes: Homes) -> None:
        self.trace = trace
        self.log = trace.log
        self.may = may
        self.homes = homes
        self._steady = BranchPaths()
        self._stores: dict[int, NDArray[np.int64]] = {}
        self._events: dict[int, NDArray[Any]] = {}
        self._closures: dict[tuple[str, int], Closure] = {}

    def address(self, p: int, branch: int, target: int, op: Operand) -> tuple[int, bool] | None:
        """The address that an operand under an arm would have been, and whether it is exact or just in the right object; None if not known."""
        fn = self.trace.at(p).fn
        following = self.trace.next_in_frame(p)
        taken = self.trace.at(following).seg.block if following >= 0 else -1
        try:
            return self._address(_Turn(fn, p, branch, target, self._steady.repeats(fn, branch, target, taken)), op)
        except (UnknownValue, SemanticsError, TrapError):
            return None

    def last_store(self, p: int, address: int, size: int) -> Node | None:
        """The store that gave some bytes the value that they had when segment instance p began; None if that cannot be told."""
        home = self.homes.at(address, p)
        if home is None:
            return None
        try:
            return self._last_store(
                address,
                AbstractCell(home.key, address - home.start, size),
                _Turn(self.trace.at(p).fn, p - 1, 0, 0, False),
                home,
            )
        except UnknownValue:
            return None

    def _address(self, turn: _Turn, op: Operand) -> tuple[int, bool]:
        instr = _definer(turn.fn, op)
        if instr is not None and instr.op == "gep":
            base, is_exact = self._address(turn, instr.args[0])
            try:
                return (int(self._value(turn, op)), True) if is_exact else (base, False)
            except UnknownValue:
                return base, False
        if instr is not None and instr.op == "call" and not self._was_run(turn, instr):
            return self._returned(turn, instr)
        return int(self._value(turn, op)), True

    def _value(self, turn: _Turn, op: Operand) -> Any:
        if isinstance(op, Const):
            return self.trace.constant(op)
        instr = _definer(turn.fn, op)
        if self._was_run(turn, instr):
            return self.trace.operand(turn.p, op)
        if instr is None:
            return self._argument(turn, op)
        if instr.op == "load":
            return self._loaded(turn, instr)
        if instr.op == "call":
            address, is_exact = self._returned(turn, instr)
            if is_exact:
                return address
        if instr.op in _NOT_SUPPOSED:
            raise UnknownValue("it did not happen")
        regs = {a: self._value(turn, a) for a in instr.args if isinstance(a, int)}
        closure = self._closures.get((turn.fn.name, instr.index))
        if closure is None:
            closure = self._closures[turn.fn.name, instr.index] = compile_instr(instr, self.trace.constant)
        return closure(regs)  # type: ignore[arg-type]  # reads by slot only

    def _was_run(self, turn: _Turn, instr: Instr | None) -> bool:
        """Whether a value was there when the branch was decided: parameters, addresses of locals, what was computed before."""
        if turn.outer is not None:
            return False
        return instr is None or instr.op == "alloca" or not self._between(turn, instr)

    def _between(self, turn: _Turn, instr: Instr) -> frozenset[int]:
        return self._steady.between(turn.fn, turn.branch, turn.target, instr.block, turn.repeats)

    def _returned(self, turn: _Turn, call: Instr) -> tuple[int, bool]:
        """What a call would have returned, of a function that only computes an address."""
        name = call.detail.callee
        if turn.outer is not None or name is None or not self.may.is_quiet(name):
            raise UnknownValue("it is not known what the call would have done")
        fn = self.trace.program.function(name)
        (result,) = (instr.args[0] for instr in fn.instrs if instr.op == "ret")
        return self._address(_Turn(fn, turn.p, 0, 0, False, turn, call), result)

    def _argument(self, turn: _Turn, k: int) -> Any:
        """The value of argument k of the call that would have been made."""
        if turn.outer is None or turn.call is None or not 0 <= k < len(turn.call.args):
            raise UnknownValue("it is no parameter of the function")
        return self._value(turn.outer, turn.call.args[k])

    def _loaded(self, turn: _Turn, load: Instr) -> Any:
        """What a load under the arm would have read, when nothing changes that on the way to it."""
        fn, slot = turn.fn, load.args[0]
        if isinstance(slot, int) and slot in self.may.plain(fn):
            if turn.outer is not None:
                return self._argument(turn, self.may.parameter(fn, slot))
            between = self._between(turn, load)
            if any(self._steady.comes_before(fn, between, store, load) for store in self._steady.stores(fn, slot)):
                raise UnknownValue("the variable changes on the way")
            return self._assigned(turn, slot)
        address, is_exact = self._address(turn, slot)
        if not is_exact:
            raise UnknownValue("it is not known what would have been read")
        return from_bytes(
            self._memory(turn.outer or turn, turn.call or load, address, store_size(load.type)), load.type
        )

    def _memory(self, turn: _Turn, reader: Instr, address: int, size: int) -> bytes:
        """The bytes at an address when an instruction under the arm would have read them."""
        home = self.homes.at(address, turn.p)
        if home is None:
            raise UnknownValue("it is not known what was there")
        cell = AbstractCell(home.key, address - home.start, size)
        between = self._between(turn, reader)
        for b in between:
            if any(
                self._steady.comes_before(turn.fn, between, writer, reader)
                for writer in self.may.writers(cell, turn.fn.name, b)
            ):
                raise UnknownValue("it may change on the way")
        return self.trace.stored_bytes(self._last_store(address, cell, turn, home))[:size]

    def _assigned(self, turn: _Turn, slot: int) -> Any:
        """The value of a local variable when the branch was decided."""
        best = self._latest(turn, self._steady.stores(turn.fn, slot), self.log.frame_of(turn.p))
        if best is None:
            raise UnknownValue("the variable had no value")
        return from_bytes(self.trace.stored_bytes(best), self.trace.instr(best).detail)

    def _latest(self, turn: _Turn, stores: list[Instr], frame: int | None, fn: Function | None = None) -> Node | None:
        """The latest instance of some stores of a function before the branch, in the given frame or in any."""
        fn = fn or turn.fn
        best: Node | None = None
        for store in stores:
            places = self.log.positions(self.trace.static.defining_segment(fn, store.index))
            k = int(places.searchsorted(turn.p, "right")) - 1
            for at in range(k, -1, -1):
                if k - at > _NEAR:
                    raise UnknownValue("it is too far back")
                q = int(places[at])
                if best is not None and (q, store.index) < best:
                    break
                if frame is None or self.log.frame_of(q) == frame:
                    best = (q, store.index)
                    break
        return best

    # --- memory as it was ---------------------------------------------------------------------------------------------------

    def _last_store(self, address: int, cell: AbstractCell, turn: _Turn, home: Home) -> Node:
        """The store that gave some bytes of memory the value they had when the branch was decided."""
        by_name: dict[str, list[Instr]] = {}
        for fn, w in self.may.named(cell):
            if w.instr.op == "store" and w.exact is not None and w.exact[1] == cell.offset and w.size >= cell.size:
                by_name.setdefault(fn.name, []).append(w.instr)
            elif w.instr.op != "call":  # calls leave events
                raise UnknownValue("it was not assigned by one store")
        found = [
            self._latest(turn, stores, home.frame, self.trace.program.function(name))
            for name, stores in by_name.items()
        ]
        best = max(
            (n for n in (*found, self._pointer_store(address, cell.size, turn.p)) if n is not None), default=None
        )
        if best is None or best[0] < home.birth or self._last_event(address, turn.p) >= best[0]:
            raise UnknownValue("it was not assigned by a store")
        return best

    def _pointer_store(self, address: int, size: int, p: int) -> Node | None:
        """The latest store through a pointer to these bytes that came not after segment instance p."""
        hits = self._stores.get(address)
        if hits is None:
            if len(self._stores) >= _MOST_SEARCHED or len(self.log.address) > _LONGEST_SEARCHED:
                raise UnknownValue("it would take too long to find out")
            hits = np.flatnonzero((self.log.address >= max(address - 16, 0)) & (self.log.address < address + 8))
            self._stores[address] = hits
        end = self.log.counts_before(p).addresses + self.trace.at(p).seg.addresses
        for tried, k in enumerate(hits[: hits.searchsorted(end)][::-1]):
            if tried > 4 * _NEAR:
                raise UnknownValue("it is too far back")
            there = int(self.log.address[k])
            q, n = self.trace.store_of_address(int(k))
            s = self.trace.at(q)
            length = sum(s.layout.effects[n].stores)
            if there == address and length >= size and s.fn.instrs[n].op == "store":
                return q, n
            if there < address + size and address < there + length:
                raise UnknownValue("it was assigned in parts")
        return None

    def _last_event(self, address: int, p: int) -> int:
        """The latest segment instance up to p in which a copy or the library wrote to the eight bytes there, or -1."""
        hits = self._events.get(address)
        if hits is None:
            e = self.log.event
            touching = (e["addr"] < address + 8) & (e["addr"] + e["len"] > address) & np.isin(e["kind"], _WRITING)
            hits = self._events[address] = np.sort(e["seg"][touching])
        k = int(hits.searchsorted(p, "right")) - 1
        return int(hits[k]) if k >= 0 else -1


def _definer(fn: Function, op: Operand) -> Instr | None:
    d = fn.definer[op] if isinstance(op, int) else -1
    return fn.instrs[d] if d >= 0 else None
