"""Integer instructions on linear terms.

An integer of w bits is a term with a value between -2**(w-1) and 2**w - 1 that has these low bits; `signed` and
`unsigned` give it one reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from butfor.ir.intervals.linear_terms import (
    ZERO,
    Linear,
    Range,
    add,
    constant,
    exact_div,
    plus,
    sub,
    substitute,
    symbol,
    times,
)
from butfor.ir.intervals.symbol_facts import SymbolFacts, SymbolOrigin
from butfor.ir.machine_types import signed_value

SIGNED_PREDICATE = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}


def signed_range(bits: int) -> Range:
    """The signed integers of that width."""
    half = 1 << (bits - 1)
    return -half, half - 1


class Arithmetic:
    """Integer instructions on the terms of one state; `fresh_symbols` yields unused symbols."""

    __slots__ = ("fresh_symbols", "numbers")

    def __init__(self, numbers: SymbolFacts, fresh_symbols: Iterator[int]) -> None:
        self.numbers = numbers
        self.fresh_symbols = fresh_symbols

    def fresh_in(self, low: int, high: int) -> Linear:
        """A term of which only the range is known."""
        if low == high:
            return constant(low)
        s = next(self.fresh_symbols)
        self.numbers.ranges[s] = (low, high)
        return symbol(s)

    def fresh_of_width(self, bits: int) -> Linear:
        """A term of which only the width is known."""
        return self.fresh_in(*signed_range(bits))

    def derived(self, origin: SymbolOrigin, low: int, high: int) -> Linear:
        """The term of a computation with a result in that range; computing the same again gives the same term."""
        if low >= high:
            return constant(low)
        s = self.numbers.symbols.get(origin)
        if s is None:
            s = next(self.fresh_symbols)
            self.numbers.ranges[s] = (low, high)
            self.numbers.symbols[origin] = s
            self.numbers.origins[s] = origin
        else:
            self.numbers.restrict(s, low, high, 1)
            was = self.numbers.ranges[s]
            if was[0] == was[1]:
                return constant(was[0])
        return symbol(s)

    # --- widths ---------------------------------------------------------------------------------------------

    def signed(self, e: Linear, bits: int) -> Linear:
        """The term whose bits are read as signed."""
        low, high = self.numbers.range(e)
        half = 1 << (bits - 1)
        if high < half:
            return e
        if low >= half:
            return plus(e, -2 * half)
        return self.derived(SymbolOrigin("signed", bits, (e,)), -half, half - 1)

    def unsigned(self, e: Linear, bits: int) -> Linear:
        """The term whose bits are read as unsigned."""
        low, high = self.numbers.range(e)
        if low >= 0:
            return e
        if high < 0:
            return plus(e, 1 << bits)
        return self.derived(SymbolOrigin("unsigned", bits, (e,)), 0, (1 << bits) - 1)

    def wrapped(self, e: Linear, bits: int, origin: SymbolOrigin, nsw: bool = False) -> Linear:
        """The low bits of an exact result; with `nsw` (no signed wrap) as a signed number."""
        low, high = self.numbers.range(e)
        whole, half = 1 << bits, 1 << (bits - 1)
        top = half if nsw else whole
        if -half <= low and high < top:
            return e
        if low >= half and high < whole + half:
            return plus(e, -whole)
        if low >= -whole and high < 0:
            return plus(e, whole)
        return self.derived(origin, -half, half - 1)

    def truncated(self, e: Linear, bits: int) -> Linear:
        """The low bits of a term."""
        return self.wrapped(e, bits, SymbolOrigin("trunc", bits, (e,)))

    def resolved(self, e: Linear) -> Linear:
        """The term with signed and unsigned readings dropped where they are now known to change nothing."""
        found: dict[int, Linear] = {}
        for s, _ in e.terms:
            origin = self.numbers.origins.get(s)
            if origin is not None and origin.op in ("signed", "unsigned"):
                (arg,) = origin.args
                low, high = self.numbers.range(arg)
                if (low >= 0) if origin.op == "unsigned" else (high < 1 << (int(origin.detail) - 1)):
                    found[s] = arg
        return substitute(e, found) if found else e

    # --- operators ------------------------------------------------------------------------------------------

    def binary(self, op: str, a: Linear, b: Linear, bits: int, nsw: bool) -> Linear:
        """The result of a binary integer operator."""
        result = self._binary(op, a, b, bits, nsw)
        return self.unsigned(result, 1) if bits == 1 else result

    def _binary(self, op: str, a: Linear, b: Linear, bits: int, nsw: bool) -> Linear:
        if a.is_const and b.is_const and op in _FOLDABLE:
            return self._constant_of_width(_FOLDABLE[op](a.const, b.const), bits)
        origin = SymbolOrigin(op, bits, (a, b))
        if op == "add":
            return self.wrapped(add(a, b), bits, origin, nsw)
        if op == "sub":
            return self.wrapped(sub(a, b), bits, origin, nsw)
        if op == "mul":
            return self._mul(a, b, bits, nsw, origin)
        if op == "shl":
            if b.is_const and 0 <= b.const < bits:
                return self.wrapped(times(a, 1 << b.const), bits, origin, nsw)
            return self._any_result(origin, bits)
        if op in ("sdiv", "udiv", "srem", "urem"):
            return self._divided(op, a, b, bits)
        if op in ("ashr", "lshr"):
            if b.is_const and 0 <= b.const < bits:
                read = self.signed(a, bits) if op == "ashr" else self.unsigned(a, bits)
                return self._floor(read, 1 << b.const)
            return self._any_result(origin, bits)
        if op in ("and", "or", "xor"):
            return self._bitwise(op, a, b, bits)
        return self._any_result(origin, bits)

    def _constant_of_width(self, value: int, bits: int) -> Linear:
        return constant(signed_value(value, bits))

    def _any_result(self, origin: SymbolOrigin, bits: int) -> Linear:
        return self.derived(origin, *signed_range(bits))

    def _mul(self, a: Linear, b: Linear, bits: int, nsw: bool, origin: SymbolOrigin) -> Linear:
        if a.is_const:
            a, b = b, a
        if b.is_const:
            return self.wrapped(times(a, b.const), bits, origin, nsw)
        (al, ah), (bl, bh) = self.numbers.range(a), self.numbers.range(b)
        corners = (al * bl, al * bh, ah * bl, ah * bh)
        low, high = min(corners), max(corners)
        smallest, largest = signed_range(bits)
        if smallest <= low and high <= (largest if nsw else 2 * largest + 1):
            return self.derived(origin, low, high)
        return self._any_result(origin, bits)

    def _floor(self, e: Linear, divisor: int) -> Linear:
        """The quotient by a positive constant, rounded down."""
        if divisor == 1:
            return e
        exact = exact_div(e, divisor)
        if exact is not None:
            return exact
        low, high = self.numbers.range(e)
        return self.derived(SymbolOrigin("floor", divisor, (e,)), low // divisor, high // divisor)

    def _divided(self, op: str, a: Linear, b: Linear, bits: int) -> Linear:
        """The quotient or remainder; anything if the divisor is zero, for no run gets past that."""
        read = self.signed if op[0] == "s" else self.unsigned
        a, b = read(a, bits), read(b, bits)
        (al, ah), (bl, bh) = self.numbers.range(a), self.numbers.range(b)
        origin = SymbolOrigin(op, bits, (a, b))
        if op.endswith("rem"):
            return self._remainder(a, b, (al, ah), (bl, bh), origin)
        if b.is_const and b.const > 0:
            exact = exact_div(a, b.const)
            if exact is not None:
                return exact
            if al >= 0:
                return self._floor(a, b.const)
        if bl > 0:
            ends = [_toward_zero(x, y) for x in (al, ah) for y in (bl, bh)]
            return self.derived(origin, min(ends), max(ends))
        if op == "udiv":
            return self.derived(origin, 0, ah)
        magnitude = max(abs(al), abs(ah))
        smallest, largest = signed_range(bits)
        if magnitude > largest:
            return self.derived(origin, smallest, largest)
        return self.derived(origin, -magnitude, magnitude)

    def _remainder(self, a: Linear, b: Linear, range_a: Range, range_b: Range, origin: SymbolOrigin) -> Linear:
        magnitude = max(abs(range_b[0]), abs(range_b[1]), 1) - 1
        low = 0 if range_a[0] >= 0 else max(-magnitude, range_a[0])
        high = 0 if range_a[1] <= 0 else min(magnitude, range_a[1])
        if range_a[0] >= 0 and range_b[0] > range_a[1]:
            return a
        result = self.derived(origin, low, high)
        if range_b[0] > 0:
            self.numbers.assume_nonpositive(plus(sub(result, b), 1))
        if range_a[0] >= 0:
            self.numbers.assume_nonpositive(sub(result, a))
        return result

    def _bitwise(self, op: str, a: Linear, b: Linear, bits: int) -> Linear:
        (al, ah), (bl, bh) = self.numbers.range(a), self.numbers.range(b)
        origin = SymbolOrigin(op, bits, (a, b))
        if bits == 1 and op == "xor":
            for x, y, (low, high) in ((a, b, (al, ah)), (b, a, (bl, bh))):
                if y.is_const and y.const % 2 and low >= 0 and high <= 1:
                    return sub(constant(1), x)
        if op == "xor" and b == constant(-1):
            return self.wrapped(sub(constant(-1), a), bits, origin)
        if op == "and":
            return self._masked(a, b, (al, ah), (bl, bh), origin, bits)
        if al >= 0 and bl >= 0:
            high = (1 << max(ah.bit_length(), bh.bit_length())) - 1
            return self.derived(origin, max(al, bl) if op == "or" else 0, high)
        return self._any_result(origin, bits)

    def _masked(self, a: Linear, b: Linear, range_a: Range, range_b: Range, origin: SymbolOrigin, bits: int) -> Linear:
        limits = [(x, high) for x, (low, high) in ((a, range_a), (b, range_b)) if low >= 0]
        if not limits:
            return self._any_result(origin, bits)
        if b.is_const and range_a[0] >= 0 and b.const & (b.const + 1) == 0 and range_a[1] <= b.const:
            return a
        result = self.derived(origin, 0, min(high for _, high in limits))
        for x, _ in limits:
            self.numbers.assume_nonpositive(sub(result, x))
        return result

    # --- comparisons ----------------------------------------------------------------------------------------

    def compare(self, predicate: str, a: Linear, b: Linear, bits: int) -> Linear:
        """1 if the comparison holds, 0 if it does not, else a term in 0..1 that remembers the comparison."""
        a, b = self._read_alike(predicate, a, b, bits)
        predicate = SIGNED_PREDICATE.get(predicate, predicate)
        known = self._decided(predicate, a, b)
        if known is not None:
            return constant(int(known))
        flipped = self._boolean_test(predicate, a, b)
        if flipped is not None:
            return flipped
        return self.derived(SymbolOrigin("icmp", predicate, (a, b)), 0, 1)

    def _read_alike(self, predicate: str, a: Linear, b: Linear, bits: int) -> tuple[Linear, Linear]:
        """Both operands in the same reading, signed or unsigned."""
        if predicate in SIGNED_PREDICATE:
            return self.unsigned(a, bits), self.unsigned(b, bits)
        if predicate in ("eq", "ne"):
            (al, ah), (bl, bh) = self.numbers.range(a), self.numbers.range(b)
            if min(al, bl) >= 0 or max(ah, bh) < 1 << (bits - 1):
                return a, b
        return self.signed(a, bits), self.signed(b, bits)

    def _decided(self, predicate: str, a: Linear, b: Linear) -> bool | None:
        low, high = self.numbers.range(sub(a, b))
        if predicate in ("eq", "ne"):
            if low > 0 or high < 0:
                return predicate == "ne"
            return (predicate == "eq") if low == high == 0 else None
        if predicate in ("slt", "sge"):
            known = True if high < 0 else False if low >= 0 else None
        else:
            known = True if high <= 0 else False if low > 0 else None
        if known is None:
            return None
        return known if predicate in ("slt", "sle") else not known

    def _boolean_test(self, predicate: str, a: Linear, b: Linear) -> Linear | None:
        """The outcome of comparing a truth value with 0, which needs no fresh symbol; None for other comparisons."""
        if b != ZERO or predicate not in ("eq", "ne") or self.numbers.range(a) != (0, 1):
            return None
        return a if predicate == "ne" else sub(constant(1), a)

    def assume_compare(self, predicate: str, a: Linear, b: Linear, bits: int, outcome: bool) -> bool:
        """Assume the outcome of a comparison; False if that contradicts the facts."""
        a, b = self._read_alike(predicate, a, b, bits)
        return self.numbers.assume_compare(SIGNED_PREDICATE.get(predicate, predicate), a, b, outcome)


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_FOLDABLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
