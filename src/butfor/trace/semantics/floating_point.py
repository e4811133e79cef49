"""Floating-point arithmetic and comparison on raw bits.

Half, float and double are computed as Python doubles and rounded once more. That second rounding never changes a sum,
difference, product or quotient, because a double has more than twice the bits of a float plus two (Figueroa);
remainders are exact. Extended and quad go through `softfloat.py`, and so does every NaN.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable

from butfor.trace.semantics import softfloat as soft
from butfor.trace.semantics.register_values import Pure, SemanticsError
from butfor.trace.semantics.softfloat import float_format

_SOFT = {"fadd": soft.add, "fsub": soft.subtract, "fmul": soft.multiply, "fdiv": soft.divide, "frem": soft.remainder}
_HARD: dict[str, Callable[[float, float], float]] = {
    "fadd": operator.add,
    "fsub": operator.sub,
    "fmul": operator.mul,
    "fdiv": operator.truediv,
    "frem": math.fmod,
}
_CODES = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}

_PREDICATES = {
    "false": "0",
    "oeq": "1 if a == b else 0",
    "ogt": "1 if a > b else 0",
    "oge": "1 if a >= b else 0",
    "olt": "1 if a < b else 0",
    "ole": "1 if a <= b else 0",
    "one": "1 if a < b or a > b else 0",
    "ord": "1 if a == a and b == b else 0",
    "ueq": "0 if a < b or a > b else 1",
    "ugt": "0 if a <= b else 1",
    "uge": "0 if a < b else 1",
    "ult": "0 if a >= b else 1",
    "ule": "0 if a > b else 1",
    "une": "1 if a != b else 0",
    "uno": "0 if a == a and b == b else 1",
    "true": "1",
}
_TESTS: dict[str, Callable[[float, float], int]] = {
    name: eval(f"lambda a, b: {text}") for name, text in _PREDICATES.items()
}


def to_double(bits: int) -> Callable[[int], float]:
    """The function from raw bits of half, float or double to the double of the same value."""
    raw, number = (struct.Struct(code) for code in _CODES[bits])
    pack, unpack = raw.pack, number.unpack
    return lambda x: float(unpack(pack(x))[0])


def from_double(bits: int) -> Callable[[float], int]:
    """The function from a double that is no NaN to raw bits, rounded to nearest even."""
    raw, number = (struct.Struct(code) for code in _CODES[bits])
    pack, unpack, infinity = number.pack, raw.unpack, float_format(bits).infinity
    sign = float_format(bits).sign

    def convert(x: float) -> int:
        try:
            return int(unpack(pack(x))[0])
        except OverflowError:  # pack refuses what rounds to an infinity
            return infinity if x > 0 else infinity | sign

    return convert


def float_binary(op: str, bits: int) -> Pure:
    """The function that computes fadd, fsub, fmul, fdiv or frem on raw bits."""
    if op not in _SOFT:
        raise SemanticsError(f"no floating-point operation is called {op}")
    fmt, exact = float_format(bits), _SOFT[op]
    if bits not in _CODES:
        return lambda x, y: exact(fmt, x, y)
    compute, encode = _HARD[op], from_double(bits)
    pack = struct.Struct("<" + _CODES[bits][0][1] * 2).pack
    unpack = struct.Struct("<" + _CODES[bits][1][1] * 2).unpack

    def run(x: int, y: int) -> int:
        try:
            result = compute(*unpack(pack(x, y)))
        except (ZeroDivisionError, ValueError):
            return exact(fmt, x, y)
        return encode(result) if result == result else exact(fmt, x, y)

    return run


def _ordered(bits: int) -> Callable[[int], float]:
    """The function from raw bits to a number with the same order: an int, or NaN."""
    fmt = float_format(bits)
    least = 1 << fmt.stored

    def key(raw: int) -> float:
        if soft.is_nan(fmt, raw):
            return math.nan
        size = raw & fmt.sign - 1
        if fmt.explicit:  # an exponent field of 0 means the same power as 1
            size = max(size >> fmt.stored, 1) * least - least | size & least - 1
        return -size if raw & fmt.sign else size

    return key


def float_compare(predicate: str, bits: int) -> Pure:
    """The function that computes fcmp on raw bits."""
    if predicate not in _TESTS:
        raise SemanticsError(f"no floating-point comparison is called {predicate}")
    test = _TESTS[predicate]
    if bits not in _CODES:
        key = _ordered(bits)
        return lambda x, y: test(key(x), key(y))
    pack = struct.Struct("<" + _CODES[bits][0][1] * 2).pack
    unpack = struct.Struct("<" + _CODES[bits][1][1] * 2).unpack
    return lambda x, y: test(*unpack(pack(x, y)))


def float_negate(bits: int) -> str:
    """The rule of fneg: the sign bit is flipped, also that of a NaN."""
    return f"{{0}} ^ {float_format(bits).sign}"
