"""Floating point by exact integer arithmetic and one rounding to nearest even, for every format.

This is the reference: it serves the formats Python has no arithmetic for (x87 extended, quad) and the operations it
cannot round correctly (conversions of wide ints, fused multiply-add). A NaN result follows x86: an operand's payload
made quiet, else the negative default NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isqrt

from butfor.trace.semantics.register_values import SemanticsError


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format with its derived constants, which are fields because every operation reads them."""

    bits: int
    fraction: int  # significand bits after the leading one
    explicit: int  # 1 when the leading bit is stored, as in x87 extended
    stored: int  # stored significand bits
    top: int  # exponent field of infinities and NaNs
    least: int  # weight of the last bit of a subnormal, as a power of two
    sign: int
    infinity: int
    quiet: int  # the bit that makes a NaN quiet
    default_nan: int  # what x86 gives for an invalid operation


@cache
def float_format(bits: int) -> Format:
    """The format of a floating-point type."""
    if bits not in _SHAPES:
        raise SemanticsError(f"no floating-point format has {bits} bits")
    exponent, fraction = _SHAPES[bits]
    explicit = bits - 1 - exponent - fraction
    stored, top = fraction + explicit, (1 << exponent) - 1
    sign, infinity, quiet = 1 << bits - 1, top << stored | explicit << fraction, 1 << fraction - 1
    least = 2 - (1 << exponent - 1) - fraction
    return Format(bits, fraction, explicit, stored, top, least, sign, infinity, quiet, sign | infinity | quiet)


_SHAPES = {16: (5, 10), 32: (8, 23), 64: (11, 52), 80: (15, 63), 128: (15, 112)}  # exponent and fraction bits


def is_nan(fmt: Format, raw: int) -> bool:
    """Whether the number is a NaN; x87 encodings that lack their leading bit count as NaN."""
    field = raw >> fmt.stored & fmt.top
    if field == fmt.top:
        return raw & fmt.sign - 1 != fmt.infinity
    return bool(fmt.explicit and field and not raw >> fmt.fraction & 1)


def is_infinite(fmt: Format, raw: int) -> bool:
    """Whether the number is an infinity."""
    return raw & fmt.sign - 1 == fmt.infinity


def unpack(fmt: Format, raw: int) -> tuple[int, int, int]:
    """Sign (0 or 1), significand and power of two of a finite number."""
    field = raw >> fmt.stored & fmt.top
    significand = raw & (1 << fmt.stored) - 1
    if field and not fmt.explicit:
        significand |= 1 << fmt.fraction
    return raw >> fmt.bits - 1, significand, max(field, 1) - 1 + fmt.least


def pack(fmt: Format, sign: int, significand: int, power: int) -> int:
    """The number nearest to significand * 2**power, ties to even."""
    if significand == 0:
        return sign << fmt.bits - 1
    last = max(power + significand.bit_length() - fmt.fraction - 1, fmt.least)
    rounded = shift_to_even(significand, last - power)
    if rounded >> fmt.fraction + 1:
        rounded, last = rounded >> 1, last + 1
    field = last - fmt.least + 1 if rounded >> fmt.fraction else 0
    if field >= fmt.top:
        return sign << fmt.bits - 1 | fmt.infinity
    kept = rounded if fmt.explicit else rounded & (1 << fmt.fraction) - 1
    return sign << fmt.bits - 1 | field << fmt.stored | kept


def shift_to_even(number: int, shift: int) -> int:
    """number / 2**shift rounded to nearest, ties to even."""
    if shift <= 0:
        return number << -shift
    whole, half = number >> shift, 1 << shift - 1
    rest = number & (1 << shift) - 1
    return whole + (rest > half or (rest == half and whole & 1))


def quiet_nan(fmt: Format, x: int, y: int | None = None) -> int:
    """The NaN that an operation with a NaN operand gives.

    SSE takes the first operand, x87 the larger significand, and a quiet one before a signalling one.
    """
    nans = [n for n in (x, y) if n is not None and is_nan(fmt, n)]
    if fmt.explicit and len(nans) == 2:
        nans.sort(key=lambda n: (n & fmt.quiet == 0, -(n & (1 << fmt.fraction) - 1), n >> fmt.bits - 1))
    well_formed = nans[0] >> fmt.stored & fmt.top == fmt.top and (not fmt.explicit or nans[0] >> fmt.fraction & 1)
    return nans[0] | fmt.quiet if well_formed else fmt.default_nan


def add(fmt: Format, x: int, y: int) -> int:
    """x + y."""
    if is_nan(fmt, x) or is_nan(fmt, y):
        return quiet_nan(fmt, x, y)
    if is_infinite(fmt, x) or is_infinite(fmt, y):
        return fmt.default_nan if x ^ y == fmt.sign and is_infinite(fmt, x) else (x if is_infinite(fmt, x) else y)
    return sum_of(fmt, unpack(fmt, x), unpack(fmt, y))


def sum_of(fmt: Format, first: tuple[int, int, int], second: tuple[int, int, int]) -> int:
    """The rounded sum of two unpacked numbers."""
    (s, m, p), (t, n, q) = first, second
    power = min(p, q)
    total = (-m if s else m) << p - power
    total += (-n if t else n) << q - power
    return pack(fmt, s & t if total == 0 else int(total < 0), abs(total), power)


def subtract(fmt: Format, x: int, y: int) -> int:
    """x - y."""
    if is_nan(fmt, x) or is_nan(fmt, y):
        return quiet_nan(fmt, x, y)
    return add(fmt, x, y ^ fmt.sign)


def multiply(fmt: Format, x: int, y: int) -> int:
    """x * y."""
    if is_nan(fmt, x) or is_nan(fmt, y):
        return quiet_nan(fmt, x, y)
    sign = (x ^ y) & fmt.sign
    (_, m, p), (_, n, q) = unpack(fmt, x), unpack(fmt, y)
    if is_infinite(fmt, x) or is_infinite(fmt, y):
        return sign | fmt.infinity if m and n else fmt.default_nan
    return sign | pack(fmt, 0, m * n, p + q)


def divide(fmt: Format, x: int, y: int) -> int:
    """x / y."""
    if is_nan(fmt, x) or is_nan(fmt, y):
        return quiet_nan(fmt, x, y)
    sign = (x ^ y) & fmt.sign
    if is_infinite(fmt, x):
        return fmt.default_nan if is_infinite(fmt, y) else sign | fmt.infinity
    if is_infinite(fmt, y):
        return sign
    (_, m, p), (_, n, q) = unpack(fmt, x), unpack(fmt, y)
    if n == 0:
        return sign | fmt.infinity if m else fmt.default_nan
    shift = 2 * fmt.fraction + 4  # enough for a full quotient when x is subnormal
    whole, rest = divmod(m << shift, n)
    sticky = int(rest != 0)  # something was cut off
    return sign | pack(fmt, 0, whole << 1 | sticky, p - q - shift - 1)


def remainder(fmt: Format, x: int, y: int) -> int:
    """fmod(x, y): exact, with the sign of x."""
    if is_nan(fmt, x) or is_nan(fmt, y):
        return quiet_nan(fmt, x, y)
    (_, m, p), (_, n, q) = unpack(fmt, x), unpack(fmt, y)
    if is_infinite(fmt, x) or n == 0:
        return fmt.default_nan
    if is_infinite(fmt, y):
        return x
    power = min(p, q)
    return x & fmt.sign | pack(fmt, 0, (m << p - power) % (n << q - power), power)


def fused(fmt: Format, x: int, y: int, z: int) -> int:
    """x * y + z with one rounding."""
    if any(is_nan(fmt, n) or is_infinite(fmt, n) for n in (x, y, z)):
        if is_infinite(fmt, z) and not any(is_nan(fmt, n) or is_infinite(fmt, n) for n in (x, y)):
            return z
        return add(fmt, multiply(fmt, x, y), z)
    (s, m, p), (t, n, q) = unpack(fmt, x), unpack(fmt, y)
    return sum_of(fmt, (s ^ t, m * n, p + q), unpack(fmt, z))


def square_root(fmt: Format, x: int) -> int:
    """The square root of x."""
    if is_nan(fmt, x):
        return quiet_nan(fmt, x)
    if x & fmt.sign - 1 == 0 or x == fmt.infinity:
        return x
    if x & fmt.sign:
        return fmt.default_nan
    _, m, p = unpack(fmt, x)
    shift = 2 * fmt.fraction + 4 + (p & 1)  # an even power of two remains
    root = isqrt(m << shift)
    return pack(fmt, 0, root << 1 | (root * root != m << shift), (p - shift) // 2 - 1)


def convert(source: Format, target: Format, x: int) -> int:
    """x in another format; a NaN keeps its sign and the upper bits of its payload."""
    sign = x >> source.bits - 1
    if is_nan(source, x):
        payload = quiet_nan(source, x) & (1 << source.fraction) - 1
        shift = target.fraction - source.fraction
        moved = payload << shift if shift >= 0 else payload >> -shift
        return sign << target.bits - 1 | target.infinity | moved
    if is_infinite(source, x):
        return sign << target.bits - 1 | target.infinity
    return pack(target, *unpack(source, x))
