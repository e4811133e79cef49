"""Addresses that an arm not taken would have written to, computed from the values at the branch."""

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
from butfor.trace.dependence.object_at_address import ConcreteObject, ConcreteObjects
from butfor.trace.log.record_layout import MAX_STORE_BYTES, EventKind
from butfor.trace.semantics.instruction_semantics import Closure, SemanticsError, TrapError, compile_instr, from_bytes
from butfor.trace.trace import Node, Trace, UnknownValue

_MAX_INSTANCES_SEARCHED = 64  # of one store, backwards: in a deep recursion most belong to other frames
_MAX_STORES_SEARCHED = 256  # through pointers to about the same address, backwards
_MAX_ADDRESSES_SEARCHED = 1000  # each costs a scan of the column of addresses
_MAX_SCANNED_ENTRIES = 5_000_000  # of that column; a longer scan would cost tens of milliseconds each time
_WRITING = (EventKind.COPY, EventKind.FILL, EventKind.WRITE, EventKind.INPUT, EventKind.BIRTH)
_NOT_RECOMPUTED = frozenset(("phi", "call", "atomicrmw", "cmpxchg", "va_arg", "load"))


@dataclass(frozen=True, slots=True)
class _UntakenArm:
    """An arm of a branch instance that was not taken: its function, the segment instance, the branch and its target.

    `repeats` is whether it would have gone on with a loop. Inside a call that the arm `outer` would have made, `fn` is
    the callee and `call` the call.
    """

    fn: Function
    instance: int
    branch: int
    target: int
    repeats: bool
    outer: _UntakenArm | None = None
    call: Instr | None = None


class HypotheticalAddresses:
    """Computes addresses from the values that variables and memory had when a branch was decided."""

    def __init__(self, trace: Trace, may_define: MayDefine, objects: ConcreteObjects) -> None:
        self.trace = trace
        self.log = trace.log
        self.may_define = may_define
        self.objects = objects
        self._paths = BranchPaths()
        self._stores: dict[int, NDArray[np.int64]] = {}
        self._events: dict[int, NDArray[Any]] = {}
        self._closures: dict[tuple[str, int], Closure] = {}

    def address(self, p: int, branch: int, target: int, op: Operand) -> tuple[int, bool] | None:
        """The address that an operand under an arm would have been, None if unknown.

        It is exact, or else just some address in the right object.
        """
        fn = self.trace.at(p).fn
        following = self.trace.next_in_frame(p)
        taken = self.trace.at(following).seg.block if following >= 0 else -1
        repeats = self._paths.repeats(fn, branch, target, taken)
        try:
            return self._address(_UntakenArm(fn, p, branch, target, repeats), op)
        except (UnknownValue, SemanticsError, TrapError):
            return None

    def last_store(self, p: int, address: int, size: int) -> Node | None:
        """The store that left some bytes as they were when segment instance p began; None if unknown."""
        obj = self.objects.at(address, p)
        if obj is None:
            return None
        cell = AbstractCell(obj.key, address - obj.start, size)
        try:
            return self._last_store(address, cell, _UntakenArm(self.trace.at(p).fn, p - 1, 0, 0, False), obj)
        except UnknownValue:
            return None

    def _address(self, arm: _UntakenArm, op: Operand) -> tuple[int, bool]:
        instr = arm.fn.definition(op)
        if instr is not None and instr.op == "gep":
            base, is_exact = self._address(arm, instr.args[0])
            try:
                return (int(self._value(arm, op)), True) if is_exact else (base, False)
            except UnknownValue:
                return base, False
        if instr is not None and instr.op == "call" and not self._is_computed(arm, instr):
            return self._returned(arm, instr)
        return int(self._value(arm, op)), True

    def _value(self, arm: _UntakenArm, op: Operand) -> Any:
        if isinstance(op, Const):
            return self.trace.constant(op)
        instr = arm.fn.definition(op)
        if self._is_computed(arm, instr):
            return self.trace.operand(arm.instance, op)
        if instr is None:
            return self._argument(arm, op)
        if instr.op == "load":
            return self._loaded(arm, instr)
        if instr.op == "call":
            address, is_exact = self._returned(arm, instr)
            if is_exact:
                return address
        if instr.op in _NOT_RECOMPUTED:
            raise UnknownValue("it did not happen")
        regs = {a: self._value(arm, a) for a in instr.args if isinstance(a, int)}
        closure = self._closures.get((arm.fn.name, instr.index))
        if closure is None:
            closure = self._closures[arm.fn.name, instr.index] = compile_instr(instr, self.trace.constant)
        return closure(regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list

    def _is_computed(self, arm: _UntakenArm, instr: Instr | None) -> bool:
        """Whether a value existed at the branch: a parameter, the address of a local, an earlier result."""
        if arm.outer is not None:
            return False
        return instr is None or instr.op == "alloca" or not self._between(arm, instr)

    def _between(self, arm: _UntakenArm, instr: Instr) -> frozenset[int]:
        return self._paths.between(arm.fn, arm.branch, arm.target, instr.block, arm.repeats)

    def _returned(self, arm: _UntakenArm, call: Instr) -> tuple[int, bool]:
        """The address that a call of a function without side effects would have returned."""
        name = call.callee
        if arm.outer is not None or name is None or not self.may_define.is_quiet(name):
            raise UnknownValue("it is not known what the call would have done")
        fn = self.trace.program.function(name)
        (result,) = (instr.args[0] for instr in fn.instrs if instr.op == "ret")
        return self._address(_UntakenArm(fn, arm.instance, 0, 0, False, arm, call), result)

    def _argument(self, arm: _UntakenArm, k: int) -> Any:
        """The value of argument k of the call that would have been made."""
        if arm.outer is None or arm.call is None or not 0 <= k < len(arm.call.args):
            raise UnknownValue("it is no parameter of the function")
        return self._value(arm.outer, arm.call.args[k])

    def _loaded(self, arm: _UntakenArm, load: Instr) -> Any:
        """The value that a load under the arm would have read, if nothing changes it on the paths there."""
        fn, slot = arm.fn, load.args[0]
        if isinstance(slot, int) and slot in self.may_define.plain(fn):
            if arm.outer is not None:
                return self._argument(arm, self.may_define.parameter(fn, slot))
            between = self._between(arm, load)
            if any(self._paths.comes_before(fn, between, store, load) for store in self._paths.stores(fn, slot)):
                raise UnknownValue("the variable changes on the way")
            return self._assigned(arm, slot)
        address, is_exact = self._address(arm, slot)
        if not is_exact:
            raise UnknownValue("it is not known what would have been read")
        return from_bytes(self._memory(arm.outer or arm, arm.call or load, address, store_size(load.type)), load.type)

    def _memory(self, arm: _UntakenArm, reader: Instr, address: int, size: int) -> bytes:
        """The bytes at an address when an instruction under the arm would have read them."""
        obj = self.objects.at(address, arm.instance)
        if obj is None:
            raise UnknownValue("it is not known what was there")
        cell = AbstractCell(obj.key, address - obj.start, size)
        between = self._between(arm, reader)
        for b in between:
            if any(
                self._paths.comes_before(arm.fn, between, writer, reader)
                for writer in self.may_define.writers(cell, arm.fn.name, b)
            ):
                raise UnknownValue("it may change on the way")
        return self.trace.stored_bytes(self._last_store(address, cell, arm, obj))[:size]

    def _assigned(self, arm: _UntakenArm, slot: int) -> Any:
        """The value of a local variable when the branch was decided."""
        best = self._latest(arm, self._paths.stores(arm.fn, slot), self.log.frame_of(arm.instance))
        if best is None:
            raise UnknownValue("the variable had no value")
        return from_bytes(self.trace.stored_bytes(best), self.trace.instr(best).detail)

    def _latest(
        self, arm: _UntakenArm, stores: list[Instr], frame: int | None, fn: Function | None = None
    ) -> Node | None:
        """The latest instance before the branch of some stores of a function, in the given frame or in any."""
        fn = fn or arm.fn
        best: Node | None = None
        for store in stores:
            places = self.log.positions(self.trace.static.defining_segment(fn, store.index))
            k = int(places.searchsorted(arm.instance, "right")) - 1
            for at in range(k, -1, -1):
                if k - at > _MAX_INSTANCES_SEARCHED:
                    raise UnknownValue("it is too far back")
                q = int(places[at])
                if best is not None and (q, store.index) < best:
                    break
                if frame is None or self.log.frame_of(q) == frame:
                    best = (q, store.index)
                    break
        return best

    # --- memory before the branch ---------------------------------------------------------------------------

    def _last_store(self, address: int, cell: AbstractCell, arm: _UntakenArm, obj: ConcreteObject) -> Node:
        """The store that gave some bytes of memory the value they had when the branch was decided."""
        by_name: dict[str, list[Instr]] = {}
        for fn, w in self.may_define.named(cell):
            if w.instr.op == "store" and w.exact is not None and w.exact[1] == cell.offset and w.size >= cell.size:
                by_name.setdefault(fn.name, []).append(w.instr)
            elif w.instr.op != "call":  # calls leave events
                raise UnknownValue("it was not assigned by one store")
        found = [
            self._latest(arm, stores, obj.frame, self.trace.program.function(name)) for name, stores in by_name.items()
        ]
        best = max(
            (n for n in (*found, self._pointer_store(address, cell.size, arm.instance)) if n is not None), default=None
        )
        if best is None or best[0] < obj.birth or self._last_event(address, arm.instance) >= best[0]:
            raise UnknownValue("it was not assigned by a store")
        return best

    def _pointer_store(self, address: int, size: int, p: int) -> Node | None:
        """The latest store through a pointer to these bytes up to segment instance p."""
        hits = self._stores.get(address)
        if hits is None:
            if len(self._stores) >= _MAX_ADDRESSES_SEARCHED or len(self.log.address) > _MAX_SCANNED_ENTRIES:
                raise UnknownValue("it would take too long to find out")
            hits = np.flatnonzero(
                (self.log.address >= max(address - MAX_STORE_BYTES, 0)) & (self.log.address < address + 8)
            )
            self._stores[address] = hits
        end = self.log.counts_before(p).addresses + self.trace.at(p).seg.addresses
        for tried, k in enumerate(hits[: hits.searchsorted(end)][::-1]):
            if tried > _MAX_STORES_SEARCHED:
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
        """The latest segment instance up to p in which an event wrote to the eight bytes at an address, or -1."""
        hits = self._events.get(address)
        if hits is None:
            e = self.log.event
            touching = (e["addr"] < address + 8) & (e["addr"] + e["len"] > address) & np.isin(e["kind"], _WRITING)
            hits = self._events[address] = np.sort(e["seg"][touching])
        k = int(hits.searchsorted(p, "right")) - 1
        return int(hits[k]) if k >= 0 else -1
