"""Conversions between ints and floats and between float formats.

A float that does not fit its int type is poison in LLVM. The result here is what x86-64 code without AVX-512 gives: the
conversion goes through a 32- or 64-bit signed int whose "indefinite" value is 0x80000000 or 0x8000000000000000; beyond
64 bits the library function saturates and maps NaN like an infinity of its sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from butfor.ir.machine_types import Type
from butfor.trace.semantics import softfloat as soft
from butfor.trace.semantics.closure_templates import Rule
from butfor.trace.semantics.floating_point import from_double, to_double
from butfor.trace.semantics.integers import int_resize, signed
from butfor.trace.semantics.register_values import Pure, SemanticsError
from butfor.trace.semantics.softfloat import Format, float_format

_MAX_EXACT_INT = 1 << 53  # every int up to here is a double


def int_to_float(is_signed: bool, source: int, target: int) -> Pure:
    """The function from an int to the nearest float."""
    fmt = float_format(target)
    encode = from_double(target) if target <= 64 else None

    def convert(x: int) -> int:
        number = signed(x, source) if is_signed else x
        if encode is not None and -_MAX_EXACT_INT <= number <= _MAX_EXACT_INT:
            return encode(float(number))
        return soft.pack(fmt, int(number < 0), abs(number), 0)

    return convert


def _truncate(bits: int) -> Callable[[int], int | None]:
    """The function from a float to its value without the fraction, None when it is infinite or NaN."""
    if bits > 64:
        return lambda raw: _truncated(float_format(bits), raw)
    decode = to_double(bits)

    def run(raw: int) -> int | None:
        number = decode(raw)
        return int(number) if math.isfinite(number) else None

    return run


def _truncated(fmt: Format, raw: int) -> int | None:
    """The number without its fraction, None when it is infinite or NaN."""
    if soft.is_nan(fmt, raw) or soft.is_infinite(fmt, raw):
        return None
    sign, significand, power = soft.unpack(fmt, raw)
    size = significand << power if power >= 0 else significand >> -power
    return -size if sign else size


def _indefinite(number: int | None, bits: int) -> int:
    """What a conversion instruction to a signed int of that width gives."""
    half = 1 << bits - 1
    return number & 2 * half - 1 if number is not None and -half <= number < half else half


def _unsigned_64(fmt: Format, raw: int, number: int | None) -> int:
    """What the code for a conversion to an unsigned 64-bit int gives for a number that does not fit."""
    if fmt.bits == 80 and (soft.is_nan(fmt, raw) or not raw & fmt.sign):
        return 0  # the x87 code flips the upper bit of an indefinite result
    return _indefinite(number, 64)


def _saturated(fmt: Format, raw: int, number: int | None, low: int, high: int) -> int:
    """The number, or the bound that lies on its side."""
    if number is None:
        return low if raw & fmt.sign else high
    return min(max(number, low), high)


def float_to_int(is_signed: bool, source: int, target: int) -> Pure:
    """The function from a float to an int, truncated toward zero."""
    fmt, mask = float_format(source), (1 << target) - 1
    low, high = (-(1 << target - 1), mask >> 1) if is_signed else (0, mask)
    step, truncate = _step(is_signed, source, target), _truncate(source)

    def convert(raw: int) -> int:
        number = truncate(raw)
        if number is not None and low <= number <= high:
            return number & mask
        if target > 64:
            return _saturated(fmt, raw, number, low, high) & mask
        if target == 64 and not is_signed:
            return _unsigned_64(fmt, raw, number)
        return _indefinite(number, step) & mask

    return convert


def _step(is_signed: bool, source: int, target: int) -> int:
    """The width of the signed int that the conversion goes through."""
    if target < 16 and source == 80:
        return 16
    if target <= 16:
        return 16 if source == 80 and is_signed else 32
    return 64 if target > 32 or not is_signed else 32


def resize_float(source: int, target: int) -> Pure:
    """The function of fptrunc and fpext."""
    old, new = float_format(source), float_format(target)
    if max(source, target) > 64:
        return lambda x: soft.convert(old, new, x)
    decode, encode = to_double(source), from_double(target)

    def convert(x: int) -> int:
        number = decode(x)
        return encode(number) if number == number else soft.convert(old, new, x)

    return convert


def cast_rule(op: str, source: Type, target: Type) -> Rule:
    """The rule of a cast between two scalar types other than bitcast."""
    match op:
        case "trunc" | "zext" | "sext" | "ptrtoint" | "inttoptr" | "addrspacecast":
            return int_resize(op, source.bits, target.bits)
        case "sitofp" | "uitofp":
            return int_to_float(op == "sitofp", source.bits, target.bits)
        case "fptosi" | "fptoui":
            return float_to_int(op == "fptosi", source.bits, target.bits)
        case "fptrunc" | "fpext":
            return resize_float(source.bits, target.bits)
    raise SemanticsError(f"no cast is called {op} (from {source.kind.value} to {target.kind.value})")
