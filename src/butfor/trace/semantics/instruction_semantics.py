"""The exact meaning of every instruction that neither touches memory nor transfers control.

`compile_instr` turns an instruction into a closure over the registers of a frame, `evaluate_const` gives the value of a
constant, `intrinsic` the function of an LLVM intrinsic, `to_bytes` and `from_bytes` the images of values in memory.
Where LLVM leaves a result open (poison, undef) a fixed one is given: see the modules of the operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import Kind, Type
from butfor.trace.semantics import aggregates as aggregate
from butfor.trace.semantics.closure_templates import ConstOf, Rule, apply, bind
from butfor.trace.semantics.conversions import cast_rule
from butfor.trace.semantics.floating_point import float_binary, float_compare, float_negate
from butfor.trace.semantics.integers import int_binary, int_compare
from butfor.trace.semantics.intrinsics import intrinsic
from butfor.trace.semantics.register_values import (
    Closure,
    SemanticsError,
    TrapError,
    Value,
    from_bits,
    from_bytes,
    to_bits,
    to_bytes,
    zero_value,
)

__all__ = [
    "Closure",
    "SemanticsError",
    "TrapError",
    "Value",
    "compile_instr",
    "evaluate_const",
    "from_bytes",
    "intrinsic",
    "to_bytes",
    "zero_value",
]

_INT_BINARY = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor")
_FLOAT_BINARY = ("fadd", "fsub", "fmul", "fdiv", "frem")
_CASTS = (
    "trunc",
    "zext",
    "sext",
    "fptrunc",
    "fpext",
    "fptoui",
    "fptosi",
    "uitofp",
    "sitofp",
    "ptrtoint",
    "inttoptr",
    "addrspacecast",
)


def compile_instr(instr: Instr, const: ConstOf) -> Closure:
    """The closure that reads the operands from `regs` and returns the result; constants are evaluated once, now."""
    compiler = _COMPILERS.get(instr.op)
    if compiler is None:
        raise SemanticsError(f"{instr.op} is not an operation on registers alone")
    return compiler(instr, const)


def _lifted(rule: Callable[[Instr, Type], Rule]) -> Callable[[Instr, ConstOf], Closure]:
    """A compiler that applies a scalar rule to scalars or to each element of vectors."""

    def compiler(instr: Instr, const: ConstOf) -> Closure:
        vector = instr.type.kind is Kind.VECTOR
        return apply(rule(instr, instr.type.elem if vector else instr.type), instr.args, const, vector)

    return compiler


def _scalar(t: Type) -> Type:
    """The type itself, or the element type of a vector."""
    return t.elem if t.kind is Kind.VECTOR else t


def _icmp(instr: Instr, const: ConstOf) -> Closure:
    predicate, operand = instr.detail
    return apply(int_compare(predicate, _scalar(operand).bits), instr.args, const, operand.kind is Kind.VECTOR)


def _fcmp(instr: Instr, const: ConstOf) -> Closure:
    predicate, operand = instr.detail
    return apply(float_compare(predicate, _scalar(operand).bits), instr.args, const, operand.kind is Kind.VECTOR)


def _bitcast(instr: Instr, const: ConstOf) -> Closure:
    source, target = instr.detail, instr.type
    if source.kind is not Kind.VECTOR and target.kind is not Kind.VECTOR:
        return bind("{0}", instr.args, const)
    return apply(lambda x: from_bits(to_bits(x, source), target), instr.args, const)


def _pick(condition: Any, x: Any, y: Any) -> Any:
    """What select gives for the elements of vectors, or for whole ones when the condition is no vector."""
    if isinstance(condition, tuple):
        return tuple(a if c else b for c, a, b in zip(condition, x, y, strict=True))
    return x if condition else y


def _select(instr: Instr, const: ConstOf) -> Closure:
    return apply(_pick if instr.type.kind is Kind.VECTOR else "{1} if {0} else {2}", instr.args, const)


def _freeze(instr: Instr, const: ConstOf) -> Closure:
    return bind("{0}", instr.args, const)


_COMPILERS: dict[str, Callable[[Instr, ConstOf], Closure]] = {
    **dict.fromkeys(_INT_BINARY, _lifted(lambda instr, t: int_binary(instr.op, t.bits))),
    **dict.fromkeys(_FLOAT_BINARY, _lifted(lambda instr, t: float_binary(instr.op, t.bits))),
    **dict.fromkeys(_CASTS, _lifted(lambda instr, t: cast_rule(instr.op, _scalar(instr.detail), t))),
    "fneg": _lifted(lambda instr, t: float_negate(t.bits)),
    "icmp": _icmp,
    "fcmp": _fcmp,
    "bitcast": _bitcast,
    "select": _select,
    "freeze": _freeze,
    "gep": aggregate.compile_gep,
    "extractvalue": aggregate.compile_extractvalue,
    "insertvalue": aggregate.compile_insertvalue,
    "extractelement": aggregate.compile_extractelement,
    "insertelement": aggregate.compile_insertelement,
    "shufflevector": aggregate.compile_shufflevector,
}


def evaluate_const(
    const: Const,
    global_address: Callable[[str], int],
    block_address: Callable[[str, str], int] | None = None,
) -> Value:
    """The value of a constant; undef is zero. Addresses of labels need `block_address`."""
    done: dict[int, Value] = {}
    stack = [const]
    while stack:
        top = stack[-1]
        pending = [part for part in _parts(top) if id(part) not in done]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        done[id(top)] = _combine(top, done, global_address, block_address)
    return done[id(const)]


def _parts(const: Const) -> tuple[Const, ...]:
    """The constants that a constant is made of."""
    parts: tuple[Const, ...] = const.value if const.kind == "agg" else const.value[2] if const.kind == "expr" else ()
    return parts


def _combine(
    const: Const,
    done: dict[int, Value],
    global_address: Callable[[str], int],
    block_address: Callable[[str, str], int] | None,
) -> Value:
    """The value of a constant whose parts are known."""
    match const.kind:
        case "int" | "float":
            return int(const.value)
        case "null" | "zero" | "undef":
            return zero_value(const.type)
        case "bytes":
            return from_bytes(const.value, const.type)
        case "agg":
            return tuple(done[id(part)] for part in const.value)
        case "global":
            return global_address(const.value)
        case "block" if block_address is not None:
            return block_address(*const.value)
        case "expr":
            op, detail, args = const.value
            instr = Instr(-1, -1, op, const.type, -1, args, detail, -1)
            return compile_instr(instr, lambda part: done[id(part)])([])
    raise SemanticsError(f"a constant of kind {const.kind} has no value here")
