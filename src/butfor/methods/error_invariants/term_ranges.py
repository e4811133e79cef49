"""Atoms that bound one term by constants: `x <= 41`, `x == 3`, `1 <= x && x <= 9`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from butfor.logic.sorts import INT
from butfor.logic.terms import TRUE, Term, compare, conjunction, constant, equal, order

_IS_SIGNED = {  # how a comparison reads bit-vectors
    "slt": True,
    "sle": True,
    "ult": False,
    "ule": False,
    "lt": True,
    "le": True,
}


@dataclass(frozen=True, slots=True)
class TermRange:
    """low <= term <= high; None where there is no bound. Bit-vectors are read as signed or unsigned."""

    term: Term
    low: int | None
    high: int | None
    signed: bool = True

    @property
    def is_point(self) -> bool:
        """Whether it contains exactly one value."""
        return self.low is not None and self.low == self.high

    @property
    def limits(self) -> tuple[int | None, int | None]:
        """The least and the greatest value of the term's type; None for unbounded integers."""
        bits = self.term.width
        if bits <= 0:
            return None, None
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)

    def normalised(self) -> TermRange | None:
        """The range without bounds that every value of the type meets; None when the range is empty."""
        least, most = self.limits
        low, high = self.low, self.high
        if least is not None and most is not None:
            low = None if low is None or low <= least else low
            high = None if high is None or high >= most else high
            if (low is not None and low > most) or (high is not None and high < least):
                return None
        return None if low is not None and high is not None and low > high else replace(self, low=low, high=high)

    def intersection(self, other: TermRange) -> TermRange | None:
        """The values in both; None when there are none."""
        low = other.low if self.low is None else self.low if other.low is None else max(self.low, other.low)
        high = other.high if self.high is None else self.high if other.high is None else min(self.high, other.high)
        return replace(self, low=low, high=high).normalised()

    def atom(self) -> Term:
        """The range as a term."""
        t = self.term
        if self.low is not None and self.is_point:
            return equal(t, constant(self.low, t.width))
        parts = []
        if self.low is not None:
            parts.append(self._at_most(constant(self.low, t.width), t))
        if self.high is not None:
            parts.append(self._at_most(t, constant(self.high, t.width)))
        return conjunction(parts) if parts else TRUE

    def _at_most(self, x: Term, y: Term) -> Term:
        return order("le", x, y) if x.width == INT else compare("sle" if self.signed else "ule", x, y)


def _value(t: Term, signed: bool) -> int | None:
    if t.op == "number" and t.width == INT:
        return int(t.data or 0)
    if t.op != "const":
        return None
    value = int(t.data or 0)
    return value - (1 << t.width) if signed and value >> t.width - 1 else value


def range_of(atom: Term, signed: bool = True) -> TermRange | None:
    """The range that a comparison with a constant states; `signed` decides where the comparison itself does not."""
    positive = atom.op != "not"
    inner = atom if positive else atom.args[0]
    if inner.op == "eq":
        return _equality(inner, signed) if positive else None
    if inner.op not in _IS_SIGNED or len(inner.args) != 2:
        return None
    by_sign = _IS_SIGNED[inner.op]
    x, y = inner.args
    if x.width != INT and x.width <= 0:
        return None
    strict = int(inner.op in ("slt", "ult", "lt"))
    left, right = _value(x, by_sign), _value(y, by_sign)
    if right is not None and left is None:  # x < c
        found = (
            TermRange(x, None, right - strict, by_sign) if positive else TermRange(x, right + 1 - strict, None, by_sign)
        )
    elif left is not None and right is None:  # c < y
        found = (
            TermRange(y, left + strict, None, by_sign) if positive else TermRange(y, None, left - 1 + strict, by_sign)
        )
    else:
        return None
    return found.normalised()


def _equality(atom: Term, signed: bool) -> TermRange | None:
    x, y = atom.args
    for one, other in ((x, y), (y, x)):
        value = _value(other, signed)
        if value is not None and one.op not in ("const", "number"):
            return TermRange(one, value, value, signed)
    return None


def inverse_range(r: TermRange) -> TermRange | None:
    """The range of the operand of a sum, product or extension that yields this range.

    Overflow is ignored, so the result must be checked.
    """
    t = r.term
    if t.op in ("sext", "zext"):
        inner = t.args[0]
        return TermRange(inner, r.low, r.high, t.op == "sext" and r.signed).normalised()
    if len(t.args) != 2:
        return None
    x, y = t.args
    left, right = _value(x, r.signed), _value(y, r.signed)
    if (left is None) == (right is None):
        return None
    inner, c = (x, right) if right is not None else (y, left)
    assert c is not None
    if t.op in ("add", "plus"):
        return _shifted(r, inner, -c).normalised()
    if t.op in ("sub", "minus"):
        return (
            _shifted(r, inner, c).normalised()
            if right is not None
            else TermRange(inner, _less(c, r.high), _less(c, r.low), r.signed).normalised()
        )
    if t.op in ("mul", "times") and c:
        return _scaled(r, inner, c)
    return None


def _less(c: int, bound: int | None) -> int | None:
    return None if bound is None else c - bound


def _shifted(r: TermRange, inner: Term, by: int) -> TermRange:
    return TermRange(inner, None if r.low is None else r.low + by, None if r.high is None else r.high + by, r.signed)


def _scaled(r: TermRange, inner: Term, c: int) -> TermRange | None:
    low, high = (r.low, r.high) if c > 0 else (_less(0, r.high), _less(0, r.low))
    size = abs(c)
    return TermRange(
        inner, None if low is None else -(-low // size), None if high is None else high // size, r.signed
    ).normalised()
