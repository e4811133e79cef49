"""One state inside one function: operands, addresses, and the checks of memory accesses."""

from __future__ import annotations

from butfor.ir.array_indices import indices_of_address, text_room
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_memory import AbstractMemory
from butfor.ir.intervals.abstract_objects import signed_constant
from butfor.ir.intervals.abstract_state import AbstractState
from butfor.ir.intervals.abstract_values import NULL, OFFSET_RANGE, Pointer, Value, to_object, unknown_pointer
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, add, constant, plus, sub, times
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.shared_analysis import SharedAnalysis, Unreachable
from butfor.ir.intervals.symbol_facts import SymbolOrigin
from butfor.ir.machine_types import PTR, Kind, Type, alloc_size, int_type, struct_layout
from butfor.libc.library import text_written

REGISTER_RANGE = (-(1 << 63), (1 << 64) - 1)  # of the bits of a pointer as a signed or unsigned integer
TRUTH_TYPE = int_type(1)


class AbstractFrame:
    """One state inside one function in one call context."""

    def __init__(self, shared: SharedAnalysis, body: PreparedFunction, context: int, state: AbstractState) -> None:
        self.shared = shared
        self.body, self.context, self.state = body, context, state
        self.name = body.function.name
        self.numbers = state.numbers
        self.arithmetic = Arithmetic(state.numbers, shared.fresh_symbols)
        self.memory = AbstractMemory(state, self.arithmetic, shared.objects.constants)
        self.records = shared.records

    def continue_with(self, state: AbstractState) -> None:
        """Continue with another state."""
        self.state, self.numbers = state, state.numbers
        self.arithmetic = Arithmetic(state.numbers, self.shared.fresh_symbols)
        self.memory = AbstractMemory(state, self.arithmetic, self.shared.objects.constants)

    def drop_dead_slots(self, index: int) -> None:
        """Forget the results of this context that no instruction after `index` uses."""
        body, slots = self.body, self.state.slots
        for key in [
            k
            for k in slots
            if k[0] == self.context and k[1] not in body.live_across_blocks and body.last_use[k[1]] <= index
        ]:
            del slots[key]

    # --- operands -------------------------------------------------------------------------------------------

    def value(self, op: Operand, t: Type) -> Value:
        """The value of an operand of that type."""
        if isinstance(op, Const):
            return self.constant(op)
        if op in self.body.variables:
            return to_object(self.shared.local_object(self.context, op))
        key = (self.context, op)
        slots = self.state.slots
        if key not in slots:
            slots[key] = self.memory.typed(None, t)
        return slots[key]

    def constant(self, c: Const) -> Value:
        """The value of a constant."""
        if c.kind == "int":
            return signed_constant(c.value, c.type.bits)
        if c.kind == "null":
            return NULL
        if c.kind == "zero":
            return ZERO if c.type.kind is Kind.INT else NULL if c.type.kind is Kind.PTR else None
        if c.kind == "global":
            return to_object(self.shared.objects.number_of_global(c.value))
        if c.kind == "expr" and c.value[0] == "gep":
            _, detail, args = c.value
            return self.element_address(args, detail)
        return self.memory.typed(None, c.type)

    def integer(self, op: Operand, t: Type) -> Linear:
        """The value of an integer operand; unknown for the bits of a pointer."""
        value = self.value(op, t)
        if isinstance(value, Linear):
            return value
        return self.arithmetic.fresh_of_width(t.bits)

    def pointer(self, op: Operand) -> Pointer:
        """The value of a pointer operand."""
        value = self.value(op, PTR)
        return value if isinstance(value, Pointer) else unknown_pointer(self.arithmetic)

    def assign(self, instr: Instr, value: Value) -> None:
        """Set the result of an instruction, and record it."""
        if instr.slot < 0:
            return
        self.state.slots[self.context, instr.slot] = value
        self.record_value(instr, value, instr.type)

    def record_value(self, instr: Instr, value: Value, t: Type) -> None:
        """Record the range of a value, or of the offsets of a pointer."""
        if isinstance(value, Linear):
            self.records.note_value(self.name, instr.index, self.numbers.range(value))
        elif isinstance(value, Pointer):
            found = self.offset_range(value) if t.kind is Kind.PTR else REGISTER_RANGE
            self.records.note_value(self.name, instr.index, found or OFFSET_RANGE)

    def offset_range(self, p: Pointer) -> tuple[int, int] | None:
        """The range of the offsets that a pointer may have, None if unknown."""
        if p.unknown or not p.targets:
            return None
        ranges = [self.numbers.range(e) for _, e in p.targets]
        return min(r[0] for r in ranges), max(r[1] for r in ranges)

    # --- addresses ------------------------------------------------------------------------------------------

    def check_access(self, instr: Instr, p: Pointer, size: Linear, suffix: str = "") -> bool:
        """Whether an access of some bytes stays inside its object.

        No run gets past an access through NULL, but it may get past one outside an object.
        """
        numbers, note = self.numbers, self.records.note_check
        note(self.name, instr.index, "null" + suffix, numbers.lower(p.nonnull) > 0)
        low_holds = high_holds = not p.unknown
        for obj, offset in p.targets:
            size_bound = self.known_size(obj)
            low_holds = low_holds and numbers.lower(offset) >= 0
            high_holds = (
                high_holds and size_bound is not None and numbers.upper(sub(add(offset, size), size_bound)) <= 0
            )
            if size_bound is not None and not suffix:
                self.records.note_size(self.name, instr.index, numbers.range(size_bound))
        not_before, not_past = self._stays_in_array(instr)
        note(self.name, instr.index, "bounds-low" + suffix, low_holds and not_before)
        note(self.name, instr.index, "bounds-high" + suffix, high_holds and not_past)
        if not suffix and not numbers.assume_zero(sub(p.nonnull, ONE)):
            raise Unreachable
        return low_holds and high_holds

    def _stays_in_array(self, instr: Instr) -> tuple[bool, bool]:
        """Whether an access is not before the row or the member that it is written for, and not past it."""
        function, variables = self.body.function, self.shared.program.global_type
        if not instr.accesses_memory:
            written = text_written(instr.callee)
            return True, written is None or text_room(function, instr.args[written], variables) is None
        not_before = not_past = True
        for index in indices_of_address(function, instr.address, variables):
            t = function.operand_type(index.operand)
            low, high = self.numbers.range(self.arithmetic.signed(self.integer(index.operand, t), t.bits))
            not_before = not_before and low >= 0
            not_past = not_past and (index.count is None or high < index.count)
        return not_before, not_past

    def known_size(self, obj: int) -> Linear | None:
        """A lower bound of the size of an object, None if unknown."""
        found = self.memory.content(obj)
        if found is None:
            return None
        if found.is_summary:
            return None if found.size_range is None else constant(found.size_range[0])
        return None if found.size is None else self.arithmetic.resolved(found.size)

    def write(self, p: Pointer, size: int, value: Value) -> None:
        """Store a value wherever the pointer may point to."""
        if p.unknown or any(self.shared.objects.is_foreign(o) for o, _ in p.targets):
            self.havoc_shared_memory()
        for obj, offset in p.targets:
            self.memory.write(obj, offset, size, value, len(p.targets) == 1 and not p.unknown)

    def havoc_shared_memory(self) -> None:
        """Forget the contents of every object that unknown code can reach."""
        objects = self.shared.objects.by_number
        for obj in list(self.state.memory):
            if not objects[obj].is_private:
                self.memory.forget(obj)

    def points_into_same_object(self, a: Pointer, b: Pointer) -> bool:
        """Whether both pointers certainly point into the same single object."""
        if a.unknown or b.unknown or len(a.targets) != 1 or len(b.targets) != 1 or a.targets[0][0] != b.targets[0][0]:
            return False
        found = self.memory.content(a.targets[0][0])
        return (
            found is not None
            and not found.is_summary
            and self.numbers.lower(a.nonnull) > 0
            and self.numbers.lower(b.nonnull) > 0
        )

    def element_address(self, args: tuple[Operand, ...], detail: tuple[Type, tuple[Type, ...]]) -> Value:
        """The result of address arithmetic (getelementptr)."""
        t, index_types = detail
        base = self.pointer(args[0])
        offset = ZERO
        for n, (arg, index_type) in enumerate(zip(args[1:], index_types, strict=True)):
            if index_type.kind is not Kind.INT:
                return unknown_pointer(self.arithmetic)
            index = self.arithmetic.signed(self.integer(arg, index_type), index_type.bits)
            if n == 0:
                offset = times(index, alloc_size(t))
            elif t.kind is Kind.STRUCT:
                if not index.is_const:
                    return unknown_pointer(self.arithmetic)
                offset = plus(offset, struct_layout(t)[0][index.const])
                t = t.elems[index.const]
            elif t.kind in (Kind.ARRAY, Kind.VECTOR):
                t = t.elem
                offset = add(offset, times(index, alloc_size(t)))
            else:
                return unknown_pointer(self.arithmetic)
        if offset == ZERO:
            return base
        nonnull = base.nonnull
        if self.numbers.lower(nonnull) < 1:  # NULL plus an offset is not NULL, but no more usable
            nonnull = self.arithmetic.derived(SymbolOrigin("moved", 0, (nonnull,)), 0, 1)
        targets = tuple((o, self._offset(add(e, offset))) for o, e in base.targets)
        return Pointer(targets, nonnull, base.unknown)

    def _offset(self, e: Linear) -> Linear:
        return self.arithmetic.wrapped(e, 64, SymbolOrigin("offset", 64, (e,)), True)
