"""The origin of a value: the instance that made it, and those that only passed it on."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.last_writers import ByteSource
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind
from butfor.trace.semantics.integers import signed
from butfor.trace.trace import Node, Trace, UnknownValue

_MAX_HOPS = 10_000  # instructions that one value is followed through: beyond are values that wander through a long loop
_CONVERSIONS = frozenset("sext zext trunc bitcast freeze fpext fptrunc ptrtoint inttoptr addrspacecast".split())
_NUMBER_CONVERSIONS = frozenset("sitofp uitofp fptosi fptoui".split())


class OriginKind(enum.Enum):
    """What a value came from in the end."""

    COMPUTED = enum.auto()  # by an operation of `node`, from other values
    CONSTANT = enum.auto()  # written in the statement of `node`
    RETURNED = enum.auto()  # by the library function that `node` calls
    WRITTEN = enum.auto()  # to memory, by the library function or the copy that `node` is
    ADDRESS = enum.auto()  # of a variable
    INITIAL = enum.auto()  # of a global variable that nothing has assigned
    UNINITIALISED = enum.auto()  # memory that nothing has assigned
    OUTSIDE = enum.auto()  # what the system or library code passed in


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from. `node` is the instance that made it; for memory that nothing wrote, the load.

    `through` are the instances that only passed it on, latest first: stores, returns and parameters (`(i, ~k)`).
    `decisions` are branches that chose it among several operands of one expression. `address` is that of memory that
    nothing wrote.
    """

    kind: OriginKind
    node: Node
    through: tuple[Node, ...] = ()
    decisions: tuple[Node, ...] = ()
    reads: tuple[tuple[Node, Node], ...] = ()  # each store on the way, and the load that read what it left
    address: int = 0
    event: int = 0  # of the log, from 1: what a library function wrote

    @property
    def holder(self) -> Node:
        """The instance that first put the value where it could be read: a store or a return, else what made it."""
        return self.through[-1] if self.through else self.node


@dataclass(slots=True)
class _Walk:
    at: Node
    through: list[Node]
    decisions: list[Node]
    reads: list[tuple[Node, Node]]
    part: tuple[int, int] | None = None  # of a struct in a register: the first byte that matters, and how many do

    def ends(self, kind: OriginKind, address: int = 0, event: int = 0) -> Origin:
        passed = tuple(self.through), tuple(self.decisions), tuple(self.reads)
        return Origin(kind, self.at, *passed, address, event)


class ValueOrigins:
    """Origins of the values of one run."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self.trace: Trace = dependence.trace
        self.log = self.trace.log

    def of(self, node: Node) -> Origin:
        """The origin of an instance's value; a store stands for the value that it stored."""
        walk = _Walk(node, [], [], [])
        for _ in range(_MAX_HOPS):
            try:
                found = self._hop(walk)
            except UnknownValue:
                return walk.ends(OriginKind.OUTSIDE)
            if found is not None:
                return found
        return walk.ends(OriginKind.COMPUTED)

    def of_operand(self, i: int, operand: Operand) -> Origin | None:
        """The origin of an operand as seen in segment instance i, None for a constant."""
        try:
            return self.of(self.trace.definition(i, operand)) if isinstance(operand, int) else None
        except UnknownValue:
            return None

    def _hop(self, walk: _Walk) -> Origin | None:
        """The origin if the value was made where the walk is; else None, after one step back."""
        i, n = walk.at
        if n < 0:
            return self._parameter(walk)
        instr = self.trace.instr(walk.at)
        match instr.op:
            case "load":
                return self._load(walk)
            case "store":
                walk.through.append(walk.at)
                return self._operand(walk, i, instr.args[0])
            case "ret":
                walk.through.append(walk.at)
                return self._operand(walk, i, instr.args[0]) if instr.args else walk.ends(OriginKind.OUTSIDE)
            case "phi":
                return self._phi(walk)
            case "call":
                return self._call(walk, instr)
            case "alloca":
                return walk.ends(OriginKind.ADDRESS)
            case "gep" if _has_fixed_offset(instr):
                return self._operand(walk, i, instr.args[0])
            case op if op in _CONVERSIONS and self._keeps_value(walk.at, instr):
                return self._operand(walk, i, instr.args[0])
            case op if op in _NUMBER_CONVERSIONS and op.endswith("tofp"):
                return self._operand(walk, i, instr.args[0])
            case _:
                return walk.ends(OriginKind.COMPUTED)

    def _operand(self, walk: _Walk, i: int, operand: Operand) -> Origin | None:
        if isinstance(operand, Const):
            return walk.ends(OriginKind.CONSTANT if operand.kind != "global" else OriginKind.ADDRESS)
        walk.at = self.trace.definition(i, operand)
        return None

    def _keeps_value(self, node: Node, instr: Instr) -> bool:
        """Whether a conversion left the value as it was; one that cut something off made another value."""
        if instr.op != "trunc":
            return True
        try:
            before, after = self.trace.operand(node[0], instr.args[0]), self.trace.value(node)
        except UnknownValue:
            return True
        if not isinstance(before, int) or not isinstance(after, int):
            return True
        wide, narrow = instr.detail.bits, instr.type.bits
        return before == after or before == after | ((1 << wide) - (1 << narrow))

    def before_conversion(self, node: Node) -> int | None:
        """The number that a truncation changed; None if it did not change it."""
        instr = self.trace.instr(node)
        if instr.op != "trunc" or self._keeps_value(node, instr):
            return None
        return signed(int(self.trace.operand(node[0], instr.args[0])), instr.detail.bits)

    def _parameter(self, walk: _Walk) -> Origin | None:
        i, k = walk.at[0], ~walk.at[1]
        call = self.trace.call_of(i)
        if call is None or not self.trace.is_direct_call(call, self.trace.at(i).fn) or self.trace.at(i).fn.byval[k]:
            return walk.ends(OriginKind.OUTSIDE)
        instr = self.trace.instr(call)
        if k >= len(instr.detail.arg_types):
            return walk.ends(OriginKind.OUTSIDE)
        walk.through.append(walk.at)
        argument = instr.args[k]
        if isinstance(argument, Const):
            walk.at = call
        return self._operand(walk, call[0], argument)

    def _load(self, walk: _Walk) -> Origin | None:
        sources = [s for writer, size in self._writers(walk) for s in self._sources(writer, size)]
        kinds = {s.kind for s in sources}
        if "uninit" in kinds:
            return walk.ends(OriginKind.UNINITIALISED, next(s.address for s in sources if s.kind == "uninit"))
        stores = dict.fromkeys(self.trace.find_store(s.number)[1] for s in sources if s.kind == "store")
        if kinds == {"store"} and len(stores) == 1:
            store = next(iter(stores))
            walk.reads.append((store, walk.at))
            walk.at = store
            return None
        if stores:
            return walk.ends(OriginKind.COMPUTED)
        events = [s.number for s in sources if s.kind in ("event", "changed") and s.number]
        node = self.dependence.event_node(events[0]) if events else None
        if node is not None:
            walk.at = node
            return walk.ends(OriginKind.WRITTEN, event=events[0])
        if kinds == {"initial"}:
            return walk.ends(OriginKind.INITIAL, sources[0].address)
        return walk.ends(OriginKind.OUTSIDE)

    def _writers(self, walk: _Walk) -> list[tuple[int, int]]:
        """The writers of the bytes that matter of what a load read; what matters of their values is noted."""
        found, at = [], 0
        low, size = walk.part or (0, 1 << 30)
        for writer, length in self.trace.writers(walk.at):
            first, end = max(low, at), min(low + size, at + length)
            if first < end:
                is_part = 0 < writer < FIRST_EVENT_ID
                found.append((writer + first - at if is_part else writer, end - first if is_part else length))
            at += length
        walk.part = self._part_of_store(found[0]) if len(found) == 1 else None
        return found

    def _part_of_store(self, writer: tuple[int, int]) -> tuple[int, int] | None:
        """The bytes of a stored value that were read; None for all of it, and for what no store wrote."""
        number, size = writer
        if not 0 < number < FIRST_READ_ID:
            return None
        whole = len(self.trace.stored_bytes(self.trace.find_store(number >> 3)[1]))
        return None if size >= whole else (number & 7, size)

    def _sources(self, writer: int, size: int) -> list[ByteSource]:
        """The sources of loaded bytes, without the copies on the way to one that is known."""
        found = list(self.trace.last_writers.sources(writer, size))
        others = [s for s in found if s.kind != "event" or not self._is_copy(s.number)]
        return others or found

    def _is_copy(self, event: int) -> bool:
        return int(self.log.event[event - 1]["kind"]) == EventKind.COPY

    def _phi(self, walk: _Walk) -> Origin | None:
        if self.trace.instr(walk.at).type.bits == 1 and self.trace.instr(walk.at).type.kind is Kind.INT:
            return walk.ends(OriginKind.COMPUTED)  # the truth of a condition with && or ||
        chosen, at = self.trace.phi_choice(walk.at)
        last = self.trace.at(at).last
        decision = (at, last.index) if last.is_two_way else self.dependence.control(at)
        if decision is not None:
            walk.decisions.append(decision)
        return self._operand(walk, at, chosen)

    def _call(self, walk: _Walk, instr: Instr) -> Origin | None:
        i, n = walk.at
        s = self.trace.at(i)
        kind = s.layout.kinds[n]
        if s.seg.start <= n < s.seg.end:  # the act of calling
            return walk.ends(OriginKind.COMPUTED if kind in ("internal", "pure") else OriginKind.RETURNED)
        ret = self.trace.return_instance(i) if kind in ("internal", "indirect") else None
        if ret is not None:
            walk.at = ret
            return None
        before = self.log.previous_in_frame(i)
        if before >= 0:
            walk.at = (before, n)
        return walk.ends(OriginKind.RETURNED if kind != "pure" else OriginKind.COMPUTED)


def _has_fixed_offset(gep: Instr) -> bool:
    """Whether an address is that of a member, at the same distance from its object in every run."""
    return all(isinstance(index, Const) for index in gep.args[1:])
