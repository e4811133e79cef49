"""Values of Boogie's operators and of SMT-LIB's operations on bit-vectors, for concrete operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from butfor.logic.sorts import Value

_EXTEND = re.compile(r"\(?_?\s*(zero|sign)_extend\s+(\d+)\s*\)?\Z")


def updated_map(found: Value, indexes: Sequence[Value], value: Value) -> Value:
    """The map with another value at some indexes, one behind the other."""
    first, rest = indexes[0], indexes[1:]
    return found.having(first, updated_map(found[first], rest, value) if rest else value)


def _euclidean(x: int, y: int) -> int:
    """The quotient whose remainder is never negative."""
    quotient = x // abs(y)
    return quotient if y > 0 else -quotient


BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "<==>": lambda x, y: int(x == y),
    "==": lambda x, y: int(x == y),
    "!=": lambda x, y: int(x != y),
    "<": lambda x, y: int(x < y),
    "<=": lambda x, y: int(x <= y),
    ">": lambda x, y: int(x > y),
    ">=": lambda x, y: int(x >= y),
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "div": _euclidean,
    "mod": lambda x, y: x - y * _euclidean(x, y),
    "/": lambda x, y: Fraction(x) / Fraction(y),
}


def _signed(x: int, bits: int) -> int:
    return x - (1 << bits) if x >> bits - 1 else x


def _truncated(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def builtin(name: str, a: list[Value], bits: int) -> Value:
    """An operation of SMT-LIB on bit-vectors of this width."""
    full = (1 << bits) - 1
    extension = _EXTEND.match(name)
    if extension:
        return a[0] if extension[1] == "zero" else _signed(a[0], bits) & ((1 << bits + int(extension[2])) - 1)
    if len(a) == 1:
        return {"bvnot": ~a[0], "bvneg": -a[0]}[name] & full
    x, y = a
    if name in _BITS:
        return _BITS[name](x, y) & full
    if name in ("bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"):
        return _divided(name, x, y, bits) & full
    if name in ("bvshl", "bvlshr", "bvashr"):
        return _shifted(name, x, y, bits) & full
    order = name.removeprefix("bv")
    if order.startswith("s"):
        x, y = _signed(x, bits), _signed(y, bits)
    return int({"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[order[1:]])


_BITS: dict[str, Callable[[int, int], int]] = {
    "bvadd": lambda x, y: x + y,
    "bvsub": lambda x, y: x - y,
    "bvmul": lambda x, y: x * y,
    "bvand": lambda x, y: x & y,
    "bvor": lambda x, y: x | y,
    "bvxor": lambda x, y: x ^ y,
}


def _divided(name: str, x: int, y: int, bits: int) -> int:
    """The quotient or remainder; SMT-LIB says what those of a division by zero are."""
    if name in ("bvudiv", "bvurem"):
        return (x // y if y else -1) if name == "bvudiv" else (x % y if y else x)
    p, q = _signed(x, bits), _signed(y, bits)
    if not q:
        return (1 if p < 0 else -1) if name == "bvsdiv" else p
    if name == "bvsdiv":
        return _truncated(p, q)
    return p % q if name == "bvsmod" else p - q * _truncated(p, q)


def _shifted(name: str, x: int, y: int, bits: int) -> int:
    if name == "bvshl":
        return x << y if y < bits else 0
    if name == "bvlshr":
        return x >> y if y < bits else 0
    return _signed(x, bits) >> min(y, bits)
