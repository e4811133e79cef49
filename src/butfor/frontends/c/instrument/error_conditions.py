"""Conditions under which an instruction is an error in C, as values of the rewritten function beside its own.

Arithmetic that C leaves undefined (the compiler marks signed operations `nsw`, and with -fwrapv it does not), and
indices outside of the array that they are written for: the types in the assembly know the length of members and rows.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from butfor.frontends.c.instrument.call_text import FAST_MATH_FLAGS, argument_texts, split_commas, type_text, value_text
from butfor.ir.array_indices import GlobalTypes, array_indices
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.trace.log.record_layout import ErrorKind

SHIFTS = frozenset(("shl", "lshr", "ashr"))
_OPERANDS = re.compile(rf"\w+ (?:(?:nuw|nsw|exact|disjoint|{FAST_MATH_FLAGS}) )*(?P<type>\S+) (?P<rest>.+)$")
_SIGNIFICANT_BITS = {32: 24, 64: 53, 80: 53}  # of floating point types; bounds are written as doubles


def operands_of(right: str) -> tuple[str, str]:
    """Both operands of an operation on two numbers."""
    m = _OPERANDS.match(right)
    assert m is not None, right
    a, b = split_commas(m["rest"])
    return a, b


class ErrorConditions:
    """The conditions of one function; `new` makes a register with a value, `variables` has the types of globals."""

    def __init__(self, fn: Function, new: Callable[[str], str], variables: GlobalTypes) -> None:
        self.fn = fn
        self.variables = variables
        self._new = new
        self._outside: dict[int, str] = {}  # by the slot of a gep: whether one of its indices is outside

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def arithmetic(self, instr: Instr, text: str) -> tuple[ErrorKind, str] | None:
        """The error that the operation may be, and its condition."""
        if instr.type.kind is not Kind.INT:
            return None
        if (instr.callee or "").startswith("llvm.abs."):
            return self._absolute(instr, text)
        right = text.partition(" = ")[2]
        if instr.op in ("add", "sub", "mul") and instr.detail == "nsw":
            return ErrorKind.OVERFLOW, self._overflow(instr.op, instr.type.bits, right)
        if instr.op in SHIFTS and not _is_below(instr.args[1], instr.type.bits):
            bits = instr.type.bits
            return ErrorKind.SHIFT, self._new(f"icmp uge i{bits} {operands_of(right)[1]}, {bits}")
        if instr.op in ("fptosi", "fptoui") and instr.detail.bits in _SIGNIFICANT_BITS:
            return ErrorKind.CONVERSION, self._conversion(instr, right)
        return None

    def _absolute(self, instr: Instr, text: str) -> tuple[ErrorKind, str] | None:
        """The least number has no absolute value, unless -fwrapv gives it one."""
        is_undefined, bits = instr.args[1], instr.type.bits
        if not isinstance(is_undefined, Const) or not is_undefined.value:
            return None
        value = value_text(argument_texts(text)[0])
        return ErrorKind.OVERFLOW, self._new(f"icmp eq i{bits} {value}, {-(1 << bits - 1)}")

    def _overflow(self, op: str, bits: int, right: str) -> str:
        a, b = operands_of(right)
        if op == "mul":
            wide = [self._new(f"sext i{bits} {x} to i{2 * bits}") for x in (a, b)]
            exact = self._new(f"mul i{2 * bits} {wide[0]}, {wide[1]}")
            back = self._new(f"sext i{bits} {self._new(f'trunc i{2 * bits} {exact} to i{bits}')} to i{2 * bits}")
            return self._new(f"icmp ne i{2 * bits} {exact}, {back}")
        result = self._new(f"{op} i{bits} {a}, {b}")
        other = result if op == "add" else a
        signs = [self._new(f"xor i{bits} {x}, {y}") for x, y in ((a, result), (b, other))]
        return self._new(f"icmp slt i{bits} {self._new(f'and i{bits} {signs[0]}, {signs[1]}')}, 0")

    def _conversion(self, instr: Instr, right: str) -> str:
        """The integer part of the value does not fit."""
        ty = type_text(instr.detail)
        value = right.partition(f"{ty} ")[2].rpartition(" to ")[0]
        bits, is_signed = instr.type.bits, instr.op == "fptosi"
        least, limit = (-(1 << bits - 1), 1 << bits - 1) if is_signed else (0, 1 << bits)
        is_exact = least.bit_length() < _SIGNIFICANT_BITS[instr.detail.bits]
        low = self._bound(ty, least - 1 if is_exact else least)
        fits = [
            self._new(f"fcmp {'ogt' if is_exact else 'oge'} {ty} {value}, {low}"),
            self._new(f"fcmp olt {ty} {value}, {self._bound(ty, limit)}"),
        ]
        return self._new(f"xor i1 {self._new(f'and i1 {fits[0]}, {fits[1]}')}, true")

    def _bound(self, ty: str, value: int) -> str:
        text = f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"
        return self._new(f"fpext double {text} to x86_fp80") if ty == "x86_fp80" else text

    # --- indices ------------------------------------------------------------------------------------------------------

    def address(self, instr: Instr, text: str) -> None:
        """Remember whether the indices of a gep are within the arrays of its types."""
        base = instr.args[0]
        found = [self._outside[base]] if isinstance(base, int) and base in self._outside else []
        operands = split_commas(text.partition(" = ")[2])[1:]
        for index in array_indices(self.fn, instr, self.variables):
            wide = self._wide(operands[index.position])
            found.append(self._new(f"icmp slt {wide}, 0" if index.count is None else f"icmp uge {wide}, {index.count}"))
        if found and instr.slot >= 0:
            whole = found[0]
            for other in found[1:]:
                whole = self._new(f"or i1 {whole}, {other}")
            self._outside[instr.slot] = whole

    def _wide(self, operand: str) -> str:
        ty, _, value = operand.rpartition(" ")
        return f"i64 {value}" if ty == "i64" else f"i64 {self._new(f'sext {ty} {value} to i64')}"

    def outside(self, op: Operand) -> str | None:
        """The condition that an index in an address is outside of its array, None where that cannot be."""
        return self._outside.get(op) if isinstance(op, int) else None


def _is_below(op: Operand, limit: int) -> bool:
    return isinstance(op, Const) and op.kind in ("int", "zero") and int(op.value or 0) < limit
