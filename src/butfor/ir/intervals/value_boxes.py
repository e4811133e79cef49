"""Boxes of ranges for slots and variables of a function, and backward transfer functions on them.

A key is a slot, or `~slot` for the plain variable at that address. A missing key is unrestricted; None instead of a box
means no state at all. The ranges of a box are independent of each other: each is about states in which only its key
differs from what it is in the runs of the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.intervals.abstract_arithmetic import signed_range
from butfor.ir.intervals.abstract_values import hull
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.linear_terms import Range
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.symbol_facts import NEGATED_PREDICATE
from butfor.ir.machine_types import PTR, Kind, Type, alloc_size, signed_value, struct_layout

UNBOUNDED = 1 << 80  # beyond all integers of 64 bits and the sums of them that occur
EVERYTHING: Range = (-UNBOUNDED, UNBOUNDED)
NOTHING: Range = (UNBOUNDED, -UNBOUNDED)  # no value of this key
Box = dict[int, Range]


def box_hull(a: Box | None, b: Box | None) -> Box | None:
    """The smallest box that contains both."""
    if a is None or b is None:
        return b if a is None else a
    return {k: hull(r, b[k]) for k, r in a.items() if k in b}


def restricted_box(box: Box, key: int, r: Range) -> Box:
    """The box with one key restricted further."""
    old = box.get(key, EVERYTHING)
    new = (max(old[0], r[0]), min(old[1], r[1]))
    if new[0] > new[1]:
        new = NOTHING
    return box if new == old else {**box, key: new}


@dataclass(frozen=True, slots=True, eq=False)
class BackwardTransfer:
    """The backward transfer functions of the instructions of one function.

    Where a result depends on several operands, each is restricted as far as the recorded values of the others allow;
    with `blame`, only the operand of that number among those that vary is, and a key without values means no state.
    """

    body: PreparedFunction
    records: AnalysisRecords
    blame: int | None = None

    @property
    def function(self) -> Function:
        """The function whose instructions these are."""
        return self.body.function

    def range_of(self, op: Operand, t: Type) -> Range:
        """The recorded range of an operand in all runs."""
        if isinstance(op, Const):
            found = integer_value(op)
            return (found, found) if found is not None else EVERYTHING
        at = self.function.definer[op]
        if at < 0:
            return signed_range(t.bits) if t.kind is Kind.INT else EVERYTHING
        if self.function.instrs[at].op == "alloca":
            return 0, 0
        return self.records.values.get((self.function.name, at), EVERYTHING)

    def demand(self, box: Box, op: Operand, r: Range) -> Box | None:
        """The box in which an operand is also in a range; with `blame`, None if it is a constant outside."""
        if isinstance(op, Const):
            found = integer_value(op)
            is_wrong = found is not None and not r[0] <= found <= r[1]
            return None if is_wrong and self.blame is not None else box
        return self.restrict(box, op, r)

    def restrict(self, box: Box, key: int, r: Range) -> Box | None:
        """The box with one key restricted further, None if that leaves no state."""
        found = restricted_box(box, key, r)
        return None if self.blame is not None and found.get(key) == NOTHING else found

    def demand_jointly(self, box: Box, demands: list[tuple[Operand, Range]]) -> Box | None:
        """The box in which several operands are also in ranges."""
        slots = [(op, r) for op, r in demands if isinstance(op, int) and op not in self.body.variables]
        if self.blame is not None:
            slots = [(op, r) for op, r in slots if self._varies(op)] or slots
            slots = slots[self.blame % len(slots) :][:1] if slots else []
        found: Box | None = box
        for op, r in slots:
            found = None if found is None else self.restrict(found, op, r)
        return found

    def _varies(self, slot: int) -> bool:
        at = self.function.definer[slot]
        if at < 0:
            return True
        low, high = self.records.values.get((self.function.name, at), EVERYTHING)
        return low < high

    def not_invertible(self, instr: Instr, box: Box, r: Range) -> Box | None:
        """The box before an instruction that has no inverse: its result has its recorded range."""
        known = self.records.values.get((self.function.name, instr.index))
        is_apart = known is not None and (known[1] < r[0] or known[0] > r[1])
        return None if is_apart and self.blame is not None and instr.type.kind is Kind.INT and r != NOTHING else box

    def before(self, instr: Instr, box: Box) -> Box | None:
        """The box before an instruction, given the one after it."""
        if instr.op == "store":
            return self._store(instr, box)
        if instr.slot < 0 or instr.slot not in box:
            return box
        r = box[instr.slot]
        box = {k: v for k, v in box.items() if k != instr.slot}
        if instr.op == "load":
            address = instr.args[0]
            return (
                self.restrict(box, ~address, r)
                if self._is_plain(address) and isinstance(address, int)
                else self.not_invertible(instr, box, r)
            )
        if instr.op in ("add", "sub", "mul", "shl", "xor"):
            return self._binary(instr, box, r)
        if instr.op in ("sext", "zext", "trunc"):
            return self._cast(instr, box, r)
        if instr.op == "icmp":
            return self._compare(instr, box, r) if r[0] == r[1] else box
        if instr.op == "gep":
            return self._gep(instr, box, r)
        return self.not_invertible(instr, box, r)

    def _is_plain(self, address: Operand) -> bool:
        return isinstance(address, int) and address in self.body.variables and self.body.variables[address].is_plain

    def _store(self, instr: Instr, box: Box) -> Box | None:
        address = instr.args[1]
        if not isinstance(address, int) or ~address not in box or not self._is_plain(address):
            return box
        r = box[~address]
        box = {k: v for k, v in box.items() if k != ~address}
        if isinstance(instr.args[0], Const) and instr.args[0].kind == "null":
            return box
        return self.demand(box, instr.args[0], r)

    def _binary(self, instr: Instr, box: Box, r: Range) -> Box | None:
        a, b = instr.args
        t, op = instr.type, instr.op
        limits = signed_range(t.bits)
        if op == "xor":
            other = integer_value(b) if isinstance(b, Const) else None
            return (
                self.demand(box, a, (1 - r[1], 1 - r[0]))
                if t.bits == 1 and other == 1 and r[0] >= 0 and r[1] <= 1
                else box
            )
        if instr.detail != "nsw" and not self._never_wraps(instr, limits):
            return box
        (al, ah), (bl, bh) = self.range_of(a, t), self.range_of(b, t)
        if op == "add":
            return self.demand_jointly(box, [(a, (r[0] - bh, r[1] - bl)), (b, (r[0] - ah, r[1] - al))])
        if op == "sub":
            return self.demand_jointly(box, [(a, (r[0] + bl, r[1] + bh)), (b, (al - r[1], ah - r[0]))])
        if op == "mul" and isinstance(a, Const):
            a, bl, bh = b, al, ah
        factor = (bl if op == "mul" else 1 << bl) if bl == bh and 0 <= bl < (1 << 31 if op == "mul" else 63) else 0
        return self.demand(box, a, (-(-r[0] // factor), r[1] // factor)) if factor > 0 else box

    def _never_wraps(self, instr: Instr, limits: Range) -> bool:
        """Whether the result never wraps: else the demanded range has other preimages as well."""
        r = self.records.values.get((self.function.name, instr.index), EVERYTHING)
        return limits[0] < r[0] and r[1] < limits[1]

    def _cast(self, instr: Instr, box: Box, r: Range) -> Box | None:
        (arg,) = instr.args
        source: Type = instr.detail
        if source.kind is not Kind.INT or source.bits == 1:
            return self.demand(box, arg, r) if source.bits == 1 and instr.op == "zext" else box
        if instr.op == "sext":
            return self.demand(box, arg, r)
        low, high = self.range_of(arg, source)
        if instr.op == "zext":
            half = 1 << (source.bits - 1)
            if r[1] < half:
                return self.demand(box, arg, (max(r[0], 0), r[1]))
            return self.demand(box, arg, r) if low >= 0 else box
        limits = signed_range(instr.type.bits)
        return self.demand(box, arg, r) if limits[0] <= low and high <= limits[1] else box

    def _compare(self, instr: Instr, box: Box, r: Range) -> Box | None:
        predicate, t = instr.detail
        if t.kind is not Kind.INT:
            return box
        a, b = instr.args
        (al, ah), (bl, bh) = self.range_of(a, t), self.range_of(b, t)
        if predicate[0] == "u":
            if min(al, bl) < 0:
                return box
            predicate = "s" + predicate[1:]
        if r[0] == 0:
            predicate = NEGATED_PREDICATE[predicate]
        if predicate in ("sgt", "sge"):
            a, b, al, ah, bl, bh = b, a, bl, bh, al, ah
            predicate = "slt" if predicate == "sgt" else "sle"
        if predicate in ("slt", "sle"):
            d = predicate == "slt"
            return self.demand_jointly(box, [(a, (-UNBOUNDED, bh - d)), (b, (al + d, UNBOUNDED))])
        return self.demand_jointly(box, [(a, (bl, bh)), (b, (al, ah))]) if predicate == "eq" else box

    def _gep(self, instr: Instr, box: Box, r: Range) -> Box | None:
        parts = split_address(instr.args, instr.detail)
        if parts is None:
            return box
        const, scaled = parts
        base = instr.args[0]
        ranges = [(base, 1, self.range_of(base, PTR)), *((op, k, self.range_of(op, t)) for op, k, t in scaled)]
        demands: list[tuple[Operand, Range]] = []
        low = sum(k * x[0] for _, k, x in ranges) + const
        high = sum(k * x[1] for _, k, x in ranges) + const
        for op, k, (x, y) in ranges:
            if isinstance(op, int) and k > 0:
                least, most = r[0] - (high - k * y), r[1] - (low - k * x)
                demands.append((op, (-(-least // k), most // k)))
        return self.demand_jointly(box, demands) if demands else box


def split_address(
    args: tuple[Operand, ...], detail: tuple[Type, tuple[Type, ...]]
) -> tuple[int, list[tuple[Operand, int, Type]]] | None:
    """The constant offset of address arithmetic, and its variable indices with their factors and types."""
    t, types = detail
    const, scaled = 0, []
    for n, (arg, index_type) in enumerate(zip(args[1:], types, strict=True)):
        known = integer_value(arg) if isinstance(arg, Const) else None
        if n and t.kind is Kind.STRUCT:
            if known is None:
                return None
            const, t = const + struct_layout(t)[0][known], t.elems[known]
            continue
        if n:
            if t.kind is not Kind.ARRAY:
                return None
            t = t.elem
        if known is not None:
            const += known * alloc_size(t)
        else:
            scaled.append((arg, alloc_size(t), index_type))
    return const, scaled


def integer_value(c: Const) -> int | None:
    """The signed value of an integer constant, truth values as 0 and 1; 0 for the address of a global; else None."""
    if c.kind == "global":
        return 0
    if c.kind == "zero" and c.type.kind is Kind.INT:
        return 0
    if c.kind != "int":
        return None
    return int(c.value) & 1 if c.type.bits == 1 else signed_value(int(c.value), c.type.bits)
