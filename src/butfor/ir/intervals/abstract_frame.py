"""One state inside one function: its operands, addresses and the checks of accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_memory import Memory
from butfor.ir.intervals.abstract_objects import signed_constant
from butfor.ir.intervals.abstract_state import State
from butfor.ir.intervals.abstract_values import NULL, Pointer, Value, to_object, unknown_pointer
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, add, constant, plus, sub, times
from butfor.ir.intervals.prepared_functions import Body
from butfor.ir.intervals.symbol_facts import Origin
from butfor.ir.machine_types import Kind, Type, alloc_size, struct_layout

if TYPE_CHECKING:
    from butfor.ir.intervals.forward_analysis import Engine


class Dead(Exception):
    """No run gets past this instruction."""


class Frame:
    """One state inside one function in one context."""

    def __init__(self, engine: Engine, body: Body, context: int, state: State) -> None:
        self.engine = engine
        self.body, self.context, self.state = body, context, state
        self.name = body.function.name
        self.numbers = state.numbers
        self.arithmetic = Arithmetic(state.numbers, engine.fresh)
        self.memory = Memory(state, self.arithmetic, engine.objects.constants)
        self.records = engine.records

    def become(self, state: State) -> None:
        """Goes on with another state."""
        self.state, self.numbers = state, state.numbers
        self.arithmetic = Arithmetic(state.numbers, self.engine.fresh)
        self.memory = Memory(state, self.arithmetic, self.engine.objects.constants)

    def drop_before(self, index: int) -> None:
        """Forgets results that no instruction from that one on uses."""
        body, slots = self.body, self.state.slots
        for key in [
            k for k in slots if k[0] == self.context and k[1] not in body.crossing and body.last_use[k[1]] <= index
        ]:
            del slots[key]

    # --- operands -------------------------------------------------------------------------------------------

    def value(self, op: Operand, t: Type) -> Value:
        """The value of an operand of that type."""
        if isinstance(op, Const):
            return self.constant(op)
        if op in self.body.variables:
            return to_object(self.engine.local(self.context, op))
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
            return to_object(self.engine.objects.of_global(c.value))
        if c.kind == "expr" and c.value[0] == "gep":
            _, detail, args = c.value
            return self.moved(args, detail)
        return self.memory.typed(None, c.type)

    def integer(self, op: Operand, t: Type) -> Linear:
        """An integer operand; any number when it is a pointer's bits."""
        value = self.value(op, t)
        if isinstance(value, Linear):
            return value
        return self.arithmetic.any(t.bits)

    def pointer(self, op: Operand) -> Pointer:
        """A pointer operand."""
        value = self.value(op, _PTR)
        return value if isinstance(value, Pointer) else unknown_pointer(self.arithmetic)

    def set(self, instr: Instr, value: Value) -> None:
        """The result of an instruction."""
        if instr.slot < 0:
            return
        self.state.slots[self.context, instr.slot] = value
        self.note(instr, value, instr.type)

    def note(self, instr: Instr, value: Value, t: Type) -> None:
        """Records a value."""
        if isinstance(value, Linear):
            self.records.value(self.name, instr.index, self.numbers.range(value))
        elif isinstance(value, Pointer):
            found = self.reach(value) if t.kind is Kind.PTR else ANY
            self.records.value(self.name, instr.index, found or FAR)

    def reach(self, p: Pointer) -> tuple[int, int] | None:
        """The offsets that a pointer may have, if they are known."""
        if p.unknown or not p.targets:
            return None
        ranges = [self.numbers.range(e) for _, e in p.targets]
        return min(r[0] for r in ranges), max(r[1] for r in ranges)

    # --- addresses ------------------------------------------------------------------------------------------

    def access(self, instr: Instr, p: Pointer, size: Linear, suffix: str = "") -> bool:
        """Whether an access of some bytes stays in its object; no run goes on after NULL, but it may after an access outside of an object."""
        numbers, note = self.numbers, self.records.check
        note(self.name, instr.index, "null" + suffix, numbers.lower(p.exists) > 0)
        low_holds = high_holds = not p.unknown
        for obj, offset in p.targets:
            limit = self.limit(obj)
            low_holds = low_holds and numbers.lower(offset) >= 0
            high_holds = high_holds and limit is not None and numbers.upper(sub(add(offset, size), limit)) <= 0
            if limit is not None and not suffix:
                self.records.size(self.name, instr.index, numbers.range(limit))
        note(self.name, instr.index, "bounds-low" + suffix, low_holds)
        note(self.name, instr.index, "bounds-high" + suffix, high_holds)
        if not suffix and not numbers.assume_equal(sub(p.exists, ONE)):
            raise Dead
        return low_holds and high_holds

    def limit(self, obj: int) -> Linear | None:
        """The size of an object, at least."""
        found = self.memory.content(obj)
        if found is None:
            return None
        if found.many:
            return None if found.sizes is None else constant(found.sizes[0])
        return None if found.size is None else self.arithmetic.resolved(found.size)

    def write(self, p: Pointer, size: int, value: Value) -> None:
        """Memory after a store."""
        if p.unknown or any(self.engine.objects.is_foreign(o) for o, _ in p.targets):
            self.engine.calls.anything(self)
        for obj, offset in p.targets:
            self.memory.write(obj, offset, size, value, len(p.targets) == 1 and not p.unknown)

    def in_one(self, a: Pointer, b: Pointer) -> bool:
        """Whether both certainly point to the same single object."""
        if a.unknown or b.unknown or len(a.targets) != 1 or len(b.targets) != 1 or a.targets[0][0] != b.targets[0][0]:
            return False
        found = self.memory.content(a.targets[0][0])
        return (
            found is not None
            and not found.many
            and self.numbers.lower(a.exists) > 0
            and self.numbers.lower(b.exists) > 0
        )

    def moved(self, args: tuple[Operand, ...], detail: tuple[Type, tuple[Type, ...]]) -> Value:
        """Address arithmetic."""
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
        exists = base.exists
        if self.numbers.lower(exists) < 1:  # NULL and an offset is not NULL, but no more use
            exists = self.arithmetic.derived(Origin("moved", 0, (exists,)), 0, 1)
        targets = tuple((o, self._offset(add(e, offset))) for o, e in base.targets)
        return Pointer(targets, exists, base.unknown)

    def _offset(self, e: Linear) -> Linear:
        return self.arithmetic.wrapped(e, 64, Origin("offset", 64, (e,)), True)


_PTR = Type(Kind.PTR, 64)
_LONG = Type(Kind.INT, 64)
BIT = Type(Kind.INT, 1)
FAR = (-(1 << 63), (1 << 63) - 1)
ANY = (-(1 << 63), (1 << 64) - 1)
