"""The abstract semantics of every instruction but calls."""

from __future__ import annotations

from butfor.ir.instructions import Instr
from butfor.ir.intervals.abstract_arithmetic import SIGNED_PREDICATE
from butfor.ir.intervals.abstract_frame import TRUTH_TYPE, AbstractFrame
from butfor.ir.intervals.abstract_values import NULL, Pointer, Value, instantiated, joined, summarised
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, constant, plus, sub, times
from butfor.ir.intervals.shared_analysis import Unreachable
from butfor.ir.intervals.symbol_facts import SymbolOrigin
from butfor.ir.machine_types import Kind, Type, alloc_size, int_type, store_size

BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
DIVISIONS = frozenset("udiv sdiv urem srem".split())


class AbstractExecution(AbstractFrame):
    """A frame whose state instructions change."""

    def execute(self, instr: Instr) -> None:
        """Apply the effect of an instruction to the state."""
        op = instr.op
        if op == "load":
            self.load(instr)
        elif op == "store":
            self.store(instr)
        elif op in BINARY and instr.type.kind is Kind.INT:
            self.binary(instr)
        elif op == "icmp":
            self.assign(instr, self.compare(instr))
        elif op == "gep":
            self.assign(instr, self.element_address(instr.args, instr.detail))
        elif op in ("sext", "zext", "trunc", "ptrtoint", "inttoptr", "bitcast", "freeze"):
            self.assign(instr, self.cast(instr))
        elif op == "alloca":
            self.alloca(instr)
        elif op == "select":
            self.assign(instr, self.select(instr))
        elif op in ("atomicrmw", "cmpxchg"):
            self.atomic(instr)
        elif op == "unreachable":
            raise Unreachable
        elif op == "va_arg":
            self.havoc_shared_memory()
            self.assign(instr, self.memory.typed(None, instr.type))
        elif instr.slot >= 0:
            self.assign(instr, self.memory.typed(None, instr.type))

    def load(self, instr: Instr) -> None:
        """Check the access of a load, then read."""
        address = instr.args[0]
        if isinstance(address, int) and address in self.body.variables:
            self.assign(instr, self.memory.read(self.shared.local_object(self.context, address), ZERO, instr.type))
            return
        p = self.pointer(address)
        size = constant(store_size(instr.type))
        if not self.check_access(instr, p, size):
            self.assign(instr, self.memory.typed(None, instr.type))  # a run may survive it with whatever it finds there
        elif len(p.targets) != 1:
            self.assign(instr, self.loaded_from_any(p, instr.type))
        else:
            ((obj, offset),) = p.targets
            self.assign(instr, self.memory.read(obj, offset, instr.type))

    def loaded_from_any(self, p: Pointer, t: Type) -> Value:
        """The join of what a load may read from several objects."""
        if p.unknown or not p.targets:
            return self.memory.typed(None, t)
        values = [summarised(self.memory.read(o, e, t), self.numbers) for o, e in p.targets]
        found = values[0]
        for v in values[1:]:
            found = joined(found, v)
        return self.memory.typed(instantiated(found, self.arithmetic), t)

    def store(self, instr: Instr) -> None:
        """Check the access of a store, then write."""
        value = self.value(instr.args[0], instr.detail)
        size = store_size(instr.detail)
        self.record_value(instr, value, instr.detail)
        address = instr.args[1]
        if isinstance(address, int) and address in self.body.variables:
            kept = None if isinstance(value, Linear) and instr.detail.bits % 8 else value
            self.memory.write(self.shared.local_object(self.context, address), ZERO, size, kept, True)
            return
        p = self.pointer(address)
        self.check_access(instr, p, constant(size))
        self.write(p, size, None if isinstance(value, Linear) and instr.detail.bits % 8 else value)

    def binary(self, instr: Instr) -> None:
        """Apply a binary integer operator, with the check of a division."""
        bits = instr.type.bits
        a, b = (self.value(arg, instr.type) for arg in instr.args)
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            self.assign(instr, self.address_arithmetic(instr.op, a, b))
            return
        x, y = self.integer(instr.args[0], instr.type), self.integer(instr.args[1], instr.type)
        if instr.op in DIVISIONS:
            self.check_division(instr, x, y)
        self.assign(instr, self.arithmetic.binary(instr.op, x, y, bits, instr.detail == "nsw"))

    def address_arithmetic(self, op: str, a: Value, b: Value) -> Value:
        """Arithmetic on the bits of pointers: known only for the distance of two in one object."""
        if op == "sub" and isinstance(a, Pointer) and isinstance(b, Pointer) and self.points_into_same_object(a, b):
            return self.arithmetic.wrapped(
                sub(a.targets[0][1], b.targets[0][1]),
                64,
                SymbolOrigin("distance", 64, (a.targets[0][1], b.targets[0][1])),
                True,
            )
        return self.arithmetic.fresh_of_width(64)

    def check_division(self, instr: Instr, x: Linear, y: Linear) -> None:
        """Check that the divisor is not zero and that the quotient does not overflow."""
        bits = instr.type.bits
        signed = instr.op[0] == "s"
        divisor = self.arithmetic.signed(y, bits) if signed else self.arithmetic.unsigned(y, bits)
        low, high = self.numbers.range(divisor)
        holds = low > 0 or high < 0 or (low < high and self.numbers.is_nonzero(divisor))
        if signed and low <= -1 <= high and not (low < high and self.numbers.is_nonzero(plus(divisor, 1))):
            holds = holds and self.numbers.lower(self.arithmetic.signed(x, bits)) > -(1 << (bits - 1))
        self.records.note_check(self.name, instr.index, "division", holds)
        if not self.numbers.assume_nonzero(divisor):
            raise Unreachable

    def compare(self, instr: Instr) -> Value:
        """The result of a comparison of integers or pointers."""
        predicate, t = instr.detail
        if t.kind is Kind.INT:
            a, b = self.value(instr.args[0], t), self.value(instr.args[1], t)
            if isinstance(a, Linear) and isinstance(b, Linear):
                return self.arithmetic.compare(predicate, a, b, t.bits)
            return self.arithmetic.fresh_in(0, 1)
        if t.kind is Kind.PTR:
            return self.compare_pointers(predicate, self.pointer(instr.args[0]), self.pointer(instr.args[1]))
        return self.memory.typed(None, instr.type)

    def compare_pointers(self, predicate: str, a: Pointer, b: Pointer) -> Linear:
        """The result of a comparison of pointers."""
        if predicate in ("eq", "ne") and NULL in (a, b):
            other = b if a == NULL else a
            nonnull = other.nonnull
            if any(self.shared.objects.is_foreign(o) for o, _ in other.targets):
                return self.arithmetic.fresh_in(0, 1)  # a weak symbol may be missing
            if self.numbers.range(nonnull) == (1, 1):
                nonnull = ONE
            elif any(self.numbers.origins[s].op == "moved" for s, _ in nonnull.terms if s in self.numbers.origins):
                return self.arithmetic.fresh_in(0, 1)
            return nonnull if predicate == "ne" else sub(ONE, nonnull)
        if self.points_into_same_object(a, b):
            x, y = a.targets[0][1], b.targets[0][1]
            return self.arithmetic.compare(SIGNED_PREDICATE.get(predicate, predicate), x, y, 65)
        return self.arithmetic.fresh_in(0, 1)

    def cast(self, instr: Instr) -> Value:
        """The result of a conversion between integers and pointers."""
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
        """Allocate a local variable; those of fixed size in the entry block exist already."""
        if instr.slot in self.body.variables:
            return
        size = None
        if instr.args and self.body.function.operand_type(instr.args[0]) == int_type(64):
            size = times(
                self.arithmetic.unsigned(self.integer(instr.args[0], int_type(64)), 64), alloc_size(instr.detail[0])
            )
            size = size if self.numbers.upper(size) < 1 << 63 else None
        obj = self.shared.objects.number(("alloca", self.context, instr.slot))
        older = self.shared.objects.number(("allocas", self.context, instr.slot))
        self.assign(instr, self.memory.allocate(obj, older, None, size))

    def select(self, instr: Instr) -> Value:
        """The result of a select: one of two values, or their join."""
        condition = self.integer(instr.args[0], TRUTH_TYPE)
        a, b = self.value(instr.args[1], instr.type), self.value(instr.args[2], instr.type)
        known = self.numbers.range(condition)
        if known[0] == known[1]:
            return a if known[0] else b
        if a == b:
            return a
        return self.memory.typed(
            instantiated(joined(summarised(a, self.numbers), summarised(b, self.numbers)), self.arithmetic),
            instr.type,
        )

    def atomic(self, instr: Instr) -> None:
        """Forget the target of an atomic operation, after the check of its access."""
        t: Type = instr.detail if instr.op == "cmpxchg" else instr.detail[1]
        p = self.pointer(instr.args[0])
        self.check_access(instr, p, constant(store_size(t)))
        self.write(p, store_size(t), None)
        self.assign(instr, self.memory.typed(None, instr.type))
