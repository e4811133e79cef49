"""Pure floating-point intrinsics of LLVM, as functions of raw bits.

`fmuladd` rounds twice, as x86-64 code without FMA does.
"""

from __future__ import annotations

from collections.abc import Callable

from butfor.trace.semantics import softfloat as soft
from butfor.trace.semantics.floating_point import float_binary, float_compare
from butfor.trace.semantics.register_values import Pure
from butfor.trace.semantics.softfloat import Format, float_format

_Maker = Callable[[int], Pure]  # from the width of the operands to the function


def _round_by(rule: Callable[[int, int, int], int]) -> _Maker:
    """Rounding to an integral float; the rule gives the size from (sign, significand, dropped bits)."""

    def make(bits: int) -> Pure:
        fmt = float_format(bits)

        def run(x: int) -> int:
            if soft.is_nan(fmt, x):
                return soft.quiet_nan(fmt, x)
            sign, significand, power = soft.unpack(fmt, x)
            if power >= 0:
                return x
            return soft.pack(fmt, sign, rule(sign, significand, -power), 0)

        return run

    return make


def _toward(up: int) -> Callable[[int, int, int], int]:
    """The rule of floor (up = 1: negative sizes grow) and ceil (up = 0)."""
    return lambda sign, size, drop: -(-size >> drop) if sign == up else size >> drop


def _select_number(better: str) -> _Maker:
    """minnum and maxnum: a NaN loses against a number, equal operands give the first."""

    def make(bits: int) -> Pure:
        fmt, wins = float_format(bits), float_compare(better, bits)

        def run(x: int, y: int) -> int:
            return y if soft.is_nan(fmt, x) or wins(y, x) else x

        return run

    return make


def _classify(fmt: Format, x: int) -> int:
    """The number of the class that is.fpclass tests: 0 signalling, 1 quiet NaN, 2 -inf, 3 -normal, ... 9 +inf."""
    if soft.is_nan(fmt, x):
        return int(bool(x & fmt.quiet))
    size, field = x & fmt.sign - 1, x >> fmt.stored & fmt.top
    rank = 4 if size == fmt.infinity else 1 if size == 0 else 3 if field else 2
    return 6 - rank if x & fmt.sign else 5 + rank


def _fp_class(bits: int) -> Pure:
    """is.fpclass."""
    fmt = float_format(bits)
    return lambda x, mask: mask >> _classify(fmt, x) & 1


def _multiply_add(bits: int) -> Pure:
    """fmuladd."""
    multiply, add = float_binary("fmul", bits), float_binary("fadd", bits)
    return lambda x, y, z: add(multiply(x, y), z)


def _fused(bits: int) -> Pure:
    """fma."""
    fmt = float_format(bits)
    return lambda x, y, z: soft.fused(fmt, x, y, z)


def _square_root(bits: int) -> Pure:
    """sqrt."""
    fmt = float_format(bits)
    return lambda x: soft.square_root(fmt, x)


def _with_sign(bits: int) -> Pure:
    """copysign."""
    sign = 1 << bits - 1
    return lambda x, y: x & ~sign | y & sign


FLOAT_MAKERS: dict[str, _Maker] = {
    "fmuladd": _multiply_add,
    "fma": _fused,
    "is.fpclass": _fp_class,
    "minnum": _select_number("olt"),
    "maxnum": _select_number("ogt"),
    "fabs": lambda bits: lambda x: x & (1 << bits - 1) - 1,
    "copysign": _with_sign,
    "sqrt": _square_root,
    "floor": _round_by(_toward(1)),
    "ceil": _round_by(_toward(0)),
    "trunc": _round_by(lambda sign, size, drop: size >> drop),
    "rint": _round_by(lambda sign, size, drop: soft.shift_to_even(size, drop)),
    "nearbyint": _round_by(lambda sign, size, drop: soft.shift_to_even(size, drop)),
    "roundeven": _round_by(lambda sign, size, drop: soft.shift_to_even(size, drop)),
    "round": _round_by(lambda sign, size, drop: size + (1 << drop - 1) >> drop),
}
