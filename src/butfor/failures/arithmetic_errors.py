"""Arithmetic that C leaves undefined: signed overflow, shifts too far, conversions of numbers that do not fit."""

from __future__ import annotations

from butfor.explanation import FailureKind
from butfor.failures.crash import operand_roots
from butfor.failures.failure_point import FailurePoint
from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import signed_value
from butfor.trace.log.record_layout import ErrorKind
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.c_values import float_text

ARITHMETIC_ERROR_NAMES: dict[int, str] = {
    ErrorKind.OVERFLOW: "signed-overflow",
    ErrorKind.SHIFT: "shift",
    ErrorKind.CONVERSION: "conversion",
}
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "shl": "<<", "lshr": ">>", "ashr": ">>"}
_SIGNED_TYPES = {8: "signed char", 16: "short", 32: "int", 64: "long", 128: "__int128"}
_UNSIGNED_TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long"}


def arithmetic_errors(trace: Trace) -> list[FailurePoint]:
    """The errors in the order they happened, one for each instruction; the runtime notes no more."""
    found = []
    for e in trace.log.error:
        kind = ErrorKind(int(e["kind"]))
        if kind.is_arithmetic:
            node = int(e["seg"]), int(e["site"]) - 1
            details = {"arithmetic": ARITHMETIC_ERROR_NAMES[kind]}
            message = _message(trace, kind, node)
            roots = operand_roots(trace, node, slice(0, 2))
            found.append(FailurePoint(FailureKind.ARITHMETIC, message, node, roots, details))
    return found


def _message(trace: Trace, kind: ErrorKind, node: Node) -> str:
    instr = trace.instr(node)
    try:
        values = [int(trace.operand(node[0], a)) for a in instr.args]
    except UnknownValue:
        return f"{_GENERAL[kind]}"
    bits = instr.type.bits
    match kind:
        case ErrorKind.OVERFLOW:
            return f"signed overflow: {_operation(instr, values)} does not fit in {_SIGNED_TYPES.get(bits, 'its type')}"
        case ErrorKind.SHIFT:
            amount = signed_value(values[1], bits)
            if amount < 0:
                return f"shift by a negative number of bits: {amount}"
            return f"shift too far: by {amount} bits, but the number has {bits}"
        case _:
            names = _SIGNED_TYPES if instr.op == "fptosi" else _UNSIGNED_TYPES
            shown = float_text(values[0], instr.detail.bits)
            return f"conversion: {shown} does not fit in {names.get(bits, 'its type')}"


_GENERAL = {
    ErrorKind.OVERFLOW: "signed overflow",
    ErrorKind.SHIFT: "shift too far, or by a negative number of bits",
    ErrorKind.CONVERSION: "conversion of a number that does not fit",
}


def _operation(instr: Instr, values: list[int]) -> str:
    if instr.op == "call":
        return f"abs({signed_value(values[0], instr.type.bits)})"
    a, b = (signed_value(v, instr.type.bits) for v in values)
    is_negation = instr.op == "sub" and isinstance(instr.args[0], Const) and a == 0
    return f"-({b})" if is_negation else f"{a} {_OPERATORS[instr.op]} {f'({b})' if b < 0 else b}"
