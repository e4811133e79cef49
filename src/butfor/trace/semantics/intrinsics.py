"""Pure LLVM intrinsics that clang emits at -O0, as functions of their arguments.

Counting the zeros of 0 gives the width, also where LLVM calls it poison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from butfor.ir.machine_types import Kind, Type
from butfor.trace.semantics.float_intrinsics import FLOAT_MAKERS
from butfor.trace.semantics.integers import signed
from butfor.trace.semantics.register_values import Pure

_Maker = Callable[[int], Pure]  # from the width of the operands to the function


def intrinsic(name: str, arg_types: Sequence[Type], result: Type) -> Pure | None:
    """The function of an intrinsic's argument values; None when it is not known or not pure."""
    found = re.fullmatch(r"llvm\.([a-z]+(?:\.(?:with\.overflow|sat|constant|fpclass|with\.probability))?)(\..*)?", name)
    if found is None or not arg_types or "bf16" in name:  # the types do not distinguish bfloat from half
        return None
    operand, base = arg_types[0], found[1]
    if base == "is.constant":
        return lambda *args: 0
    if base in ("expect", "expect.with.probability"):
        return lambda x, *rest: x
    maker = FLOAT_MAKERS.get(base) or _INT_MAKERS.get(base)
    scalar = operand.elem if operand.kind is Kind.VECTOR else operand
    if maker is None or scalar.kind not in (Kind.INT, Kind.FLOAT, Kind.PTR):
        return None
    if base in ("minnum", "maxnum") and scalar.bits > 64:  # the result for two zeros depends on the C library
        return None
    function = maker(scalar.bits)
    if operand.kind is not Kind.VECTOR:
        return function
    return None if result.kind is Kind.STRUCT else _elementwise(function)


def _elementwise(function: Pure) -> Pure:
    """The function applied to each element; arguments that are no vectors (flags) serve every element."""

    def run(first: tuple[int, ...], *rest: int | tuple[int, ...]) -> tuple[int, ...]:
        columns = [arg if isinstance(arg, tuple) else (arg,) * len(first) for arg in rest]
        return tuple(function(*row) for row in zip(first, *columns, strict=True))

    return run


def _choose(pick: Callable[[int, int], int], is_signed: bool) -> _Maker:
    """Minimum and maximum of ints."""
    if not is_signed:
        return lambda bits: lambda x, y: pick(x, y)
    return lambda bits: lambda x, y: pick(signed(x, bits), signed(y, bits)) & (1 << bits) - 1


def _bound(bits: int, is_signed: bool) -> tuple[int, int]:
    """The least and the greatest value of an int type."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


def _exact(op: str, is_signed: bool, bits: int) -> Callable[[int, int], int]:
    """The result of an operation without wrap-around."""
    compute = _EXACT[op]
    if not is_signed:
        return compute
    return lambda x, y: compute(signed(x, bits), signed(y, bits))


def _overflow(op: str, is_signed: bool) -> _Maker:
    """The wrapped result and whether it wrapped."""

    def make(bits: int) -> Pure:
        compute, (low, high), mask = _exact(op, is_signed, bits), _bound(bits, is_signed), (1 << bits) - 1

        def run(x: int, y: int) -> tuple[int, int]:
            number = compute(x, y)
            return number & mask, int(not low <= number <= high)

        return run

    return make


def _saturate(op: str, is_signed: bool) -> _Maker:
    """The result, or the bound that it passes."""

    def make(bits: int) -> Pure:
        compute, (low, high), mask = _exact(op, is_signed, bits), _bound(bits, is_signed), (1 << bits) - 1
        return lambda x, y: min(max(compute(x, y), low), high) & mask

    return make


def _shift_saturated(is_signed: bool) -> _Maker:
    """shl that stops at the bounds."""

    def make(bits: int) -> Pure:
        low, high = _bound(bits, is_signed)

        def run(x: int, y: int) -> int:
            number = (signed(x, bits) if is_signed else x) << min(y, bits)
            return min(max(number, low), high) & (1 << bits) - 1

        return run

    return make


def _byte_swap(bits: int) -> Pure:
    """bswap."""
    return lambda x: int.from_bytes(x.to_bytes(bits // 8, "little"), "big")


def _bit_reverse(bits: int) -> Pure:
    """bitreverse."""
    return lambda x: int(f"{x:0{bits}b}"[::-1], 2)


def _absolute(bits: int) -> Pure:
    """abs; the least value stays itself."""
    return lambda x, *flag: abs(signed(x, bits)) & (1 << bits) - 1


def _funnel(left: bool) -> _Maker:
    """fshl and fshr: a window of two concatenated ints, moved by the amount modulo the width."""

    def make(bits: int) -> Pure:
        mask = (1 << bits) - 1
        if left:
            return lambda x, y, z: (x << bits | y) >> bits - z % bits & mask
        return lambda x, y, z: (x << bits | y) >> z % bits & mask

    return make


def _leading_zeros(bits: int) -> Pure:
    """ctlz."""
    return lambda x, *flag: bits - x.bit_length()


def _trailing_zeros(bits: int) -> Pure:
    """cttz."""
    return lambda x, *flag: (x & -x).bit_length() - 1 if x else bits


_INT_MAKERS: dict[str, _Maker] = {
    "smax": _choose(max, True),
    "smin": _choose(min, True),
    "umax": _choose(max, False),
    "umin": _choose(min, False),
    "abs": _absolute,
    "bswap": _byte_swap,
    "bitreverse": _bit_reverse,
    "ctpop": lambda bits: int.bit_count,
    "ctlz": _leading_zeros,
    "cttz": _trailing_zeros,
    "fshl": _funnel(True),
    "fshr": _funnel(False),
    "ptrmask": lambda bits: lambda x, mask: x & mask,
    "sshl.sat": _shift_saturated(True),
    "ushl.sat": _shift_saturated(False),
    **{f"{sign}{op}.with.overflow": _overflow(op, sign == "s") for sign in "su" for op in ("add", "sub", "mul")},
    **{f"{sign}{op}.sat": _saturate(op, sign == "s") for sign in "su" for op in ("add", "sub")},
}
