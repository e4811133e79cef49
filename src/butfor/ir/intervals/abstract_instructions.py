"""What each instruction does to the abstract state; calls are left to `calls.py`."""

from __future__ import annotations

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.intervals.abstract_frame import BIT, Dead, Frame
from butfor.ir.intervals.abstract_values import NULL, Pointer, Value, generalised, instantiated, joined
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, constant, plus, sub, times
from butfor.ir.intervals.symbol_facts import Origin
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size

BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
DIVISIONS = frozenset("udiv sdiv urem srem".split())
_LONG = Type(Kind.INT, 64)


class Execution(Frame):
    """A state that instructions change."""

    def execute(self, instr: Instr) -> None:
        """Changes the state as the instruction does."""
        op = instr.op
        if op == "load":
            self.load(instr)
        elif op == "store":
            self.store(instr)
        elif op in BINARY and instr.type.kind is Kind.INT:
            self.binary(instr)
        elif op == "icmp":
            self.set(instr, self.compare(instr))
        elif op == "gep":
            self.set(instr, self.moved(instr.args, instr.detail))
        elif op in ("sext", "zext", "trunc", "ptrtoint", "inttoptr", "bitcast", "freeze"):
            self.set(instr, self.cast(instr))
        elif op == "alloca":
            self.alloca(instr)
        elif op == "select":
            self.set(instr, self.select(instr))
        elif op in ("atomicrmw", "cmpxchg"):
            self.atomic(instr)
        elif op == "unreachable":
            raise Dead
        elif op == "va_arg":
            self.engine.calls.anything(self)
            self.set(instr, self.memory.typed(None, instr.type))
        elif instr.slot >= 0:
            self.set(instr, self.memory.typed(None, instr.type))

    def load(self, instr: Instr) -> None:
        """A load: checks, then the value."""
        address = instr.args[0]
        if isinstance(address, int) and address in self.body.variables:
            self.set(instr, self.memory.read(self.engine.local(self.context, address), ZERO, instr.type))
            return
        p = self.pointer(address)
        size = constant(store_size(instr.type))
        if not self.access(instr, p, size):
            self.set(instr, self.memory.typed(None, instr.type))  # a run may survive it, with what it finds there
        elif len(p.targets) != 1:
            self.set(instr, self.loaded_from_some(p, instr.type))
        else:
            ((obj, offset),) = p.targets
            self.set(instr, self.memory.read(obj, offset, instr.type))

    def loaded_from_some(self, p: Pointer, t: Type) -> Value:
        """What a load gets when it is not clear from which object."""
        if p.unknown or not p.targets:
            return self.memory.typed(None, t)
        values = [generalised(self.memory.read(o, e, t), self.numbers) for o, e in p.targets]
        found = values[0]
        for v in values[1:]:
            found = joined(found, v)
        return self.memory.typed(instantiated(found, self.arithmetic), t)

    def store(self, instr: Instr) -> None:
        """A store: checks, then the memory."""
        value = self.value(instr.args[0], instr.detail)
        size = store_size(instr.detail)
        self.note(instr, value, instr.detail)
        address = instr.args[1]
        if isinstance(address, int) and address in self.body.variables:
            kept = None if isinstance(value, Linear) and instr.detail.bits % 8 else value
            self.memory.write(self.engine.local(self.context, address), ZERO, size, kept, True)
            return
        p = self.pointer(address)
        self.access(instr, p, constant(size))
        self.write(p, size, None if isinstance(value, Linear) and instr.detail.bits % 8 else value)

    def binary(self, instr: Instr) -> None:
        """An integer operator."""
        bits = instr.type.bits
        a, b = (self.value(arg, instr.type) for arg in instr.args)
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            self.set(instr, self.of_addresses(instr.op, a, b))
            return
        x, y = self.integer(instr.args[0], instr.type), self.integer(instr.args[1], instr.type)
        if instr.op in DIVISIONS:
            self.division(instr, x, y)
        self.set(instr, self.arithmetic.binary(instr.op, x, y, bits, instr.detail == "nsw"))

    def of_addresses(self, op: str, a: Value, b: Value) -> Value:
        """Arithmetic on the bits of pointers: the distance of two in one object."""
        if op == "sub" and isinstance(a, Pointer) and isinstance(b, Pointer) and self.in_one(a, b):
            return self.arithmetic.wrapped(
                sub(a.targets[0][1], b.targets[0][1]),
                64,
                Origin("distance", 64, (a.targets[0][1], b.targets[0][1])),
                True,
            )
        return self.arithmetic.any(64)

    def division(self, instr: Instr, x: Linear, y: Linear) -> None:
        """The check that the divisor is not zero and the quotient no overflow."""
        bits = instr.type.bits
        signed = instr.op[0] == "s"
        divisor = self.arithmetic.signed(y, bits) if signed else self.arithmetic.unsigned(y, bits)
        low, high = self.numbers.range(divisor)
        holds = low > 0 or high < 0 or (low < high and self.numbers.is_other(divisor))
        if signed and low <= -1 <= high and not (low < high and self.numbers.is_other(plus(divisor, 1))):
            holds = holds and self.numbers.lower(self.arithmetic.signed(x, bits)) > -(1 << (bits - 1))
        self.records.check(self.name, instr.index, "division", holds)
        if not self.numbers.assume_other(divisor):
            raise Dead

    def compare(self, instr: Instr) -> Value:
        """A comparison of integers or pointers."""
        predicate, t = instr.detail
        if t.kind is Kind.INT:
            a, b = self.value(instr.args[0], t), self.value(instr.args[1], t)
            if isinstance(a, Linear) and isinstance(b, Linear):
                return self.arithmetic.compare(predicate, a, b, t.bits)
            return self.arithmetic.new(0, 1)
        if t.kind is Kind.PTR:
            return self.compared(predicate, self.pointer(instr.args[0]), self.pointer(instr.args[1]))
        return self.memory.typed(None, instr.type)

    def compared(self, predicate: str, a: Pointer, b: Pointer) -> Linear:
        """A comparison of pointers."""
        if predicate in ("eq", "ne") and NULL in (a, b):
            other = b if a == NULL else a
            exists = other.exists
            if any(self.engine.objects.is_foreign(o) for o, _ in other.targets):
                return self.arithmetic.new(0, 1)  # a weak symbol may be missing
            if self.numbers.range(exists) == (1, 1):
                exists = ONE
            elif any(self.numbers.origins[s].op == "moved" for s, _ in exists.terms if s in self.numbers.origins):
                return self.arithmetic.new(0, 1)
            return exists if predicate == "ne" else sub(ONE, exists)
        if self.in_one(a, b):
            x, y = a.targets[0][1], b.targets[0][1]
            signed = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}.get(predicate, predicate)
            return self.arithmetic.compare(signed, x, y, 65)
        return self.arithmetic.new(0, 1)

    def cast(self, instr: Instr) -> Value:
        """A conversion that keeps integers or pointers."""
        arg = instr.args[0]
        if instr.op == "freeze":
            return self.memory.typed(self.value(arg, instr.type), instr.type)
        source: Type = instr.detail
        value = self.value(arg, source)
        if instr.op in ("ptrtoint", "inttoptr", "bitcast"):
            if isinstance(value, Pointer) and instr.type.kind is Kind.INT and instr.type.bits != 64:
                value = None
            return self.memory.typed(value, instr.type)
        if instr.type.kind is not Kind.INT or source.kind is not Kind.INT:
            return None
        e = self.integer(arg, source)
        if instr.op == "sext":
            return sub(ZERO, e) if source.bits == 1 else self.arithmetic.signed(e, source.bits)
        if instr.op == "zext":
            return self.arithmetic.unsigned(e, source.bits)
        result = self.arithmetic.truncated(e, instr.type.bits)
        return self.arithmetic.unsigned(result, 1) if instr.type.bits == 1 else result

    def alloca(self, instr: Instr) -> None:
        """A local variable; those of fixed size at the start are there already."""
        if instr.slot in self.body.variables:
            return
        size = None
        if instr.args and self.is_long(instr.args[0]):
            size = times(self.arithmetic.unsigned(self.integer(instr.args[0], _LONG), 64), alloc_size(instr.detail[0]))
            size = size if self.numbers.upper(size) < 1 << 63 else None
        obj = self.engine.objects.number(("alloca", self.context, instr.slot))
        older = self.engine.objects.number(("allocas", self.context, instr.slot))
        self.set(instr, self.memory.allocate(obj, older, None, size))

    def is_long(self, op: Operand) -> bool:
        """Whether the operand has 64 bits."""
        function = self.body.function
        if isinstance(op, Const):
            return op.type == _LONG
        at = function.definer[op]
        return (function.params[op] if at < 0 else function.instrs[at].type) == _LONG

    def select(self, instr: Instr) -> Value:
        """One of two values."""
        condition = self.integer(instr.args[0], BIT)
        a, b = self.value(instr.args[1], instr.type), self.value(instr.args[2], instr.type)
        known = self.numbers.range(condition)
        if known[0] == known[1]:
            return a if known[0] else b
        if a == b:
            return a
        return self.memory.typed(
            instantiated(joined(generalised(a, self.numbers), generalised(b, self.numbers)), self.arithmetic),
            instr.type,
        )

    def atomic(self, instr: Instr) -> None:
        """An atomic change of memory, of which nothing is kept."""
        t: Type = instr.detail if instr.op == "cmpxchg" else instr.detail[1]
        p = self.pointer(instr.args[0])
        self.access(instr, p, constant(store_size(t)))
        self.write(p, store_size(t), None)
        self.set(instr, self.memory.typed(None, instr.type))
