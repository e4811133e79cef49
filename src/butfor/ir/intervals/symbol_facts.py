"""What is known of the symbols of a state: ranges, differences (zones), sums, and where a symbol came from.

A state stands for all assignments of integers to its symbols that meet what is known here. Differences are closed as they are added.
"""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.linear_terms import Linear, Range, Symbol, Terms, content, plus, sub, symbol, times

_MOST_DIFFERENCES = 300
_MOST_SUMS = 60
_DEEPEST = 5  # conclusions drawn from one assumption


class Origin(NamedTuple):
    """How a symbol was computed: `op` of the arguments; `detail` is a width, a divisor or a predicate.

    unsigned, signed: the same bits read so · trunc: the low bits · floor: divided and rounded down · icmp: 1 if the comparison holds, else 0 ·
    any other: nothing follows from it but that the same computation gives the same value
    """

    op: str
    detail: int | str
    args: tuple[Linear, ...]


class Numbers:
    """Ranges, differences `s - t <= c`, other sums `terms <= c`, origins of symbols and the symbol of each origin."""

    __slots__ = ("differences", "origins", "others", "ranges", "sums", "symbols")

    def __init__(self) -> None:
        self.ranges: dict[Symbol, Range] = {}
        self.differences: dict[tuple[Symbol, Symbol], int] = {}
        self.sums: dict[Terms, int] = {}
        self.others: dict[Linear, None] = {}  # terms that are not 0
        self.origins: dict[Symbol, Origin] = {}
        self.symbols: dict[Origin, Symbol] = {}

    def copy(self) -> Numbers:
        """The same knowledge, to be changed on its own."""
        new = Numbers.__new__(Numbers)
        new.ranges = self.ranges.copy()
        new.differences = self.differences.copy()
        new.sums = self.sums.copy()
        new.others = self.others.copy()
        new.origins = self.origins.copy()
        new.symbols = self.symbols.copy()
        return new

    # --- questions ------------------------------------------------------------------------------------------

    def plain_upper(self, e: Linear) -> int:
        """An upper bound from ranges alone."""
        total = e.const
        ranges = self.ranges
        for s, k in e.terms:
            total += k * ranges[s][k > 0]
        return total

    def upper(self, e: Linear, depth: int = 2) -> int:
        """An upper bound of the term."""
        terms = e.terms
        if not terms:
            return e.const
        if len(terms) == 1:
            s, k = terms[0]
            return k * self.ranges[s][k > 0] + e.const
        best = self._upper_by_differences(e) if self.differences else self.plain_upper(e)
        if self.sums:
            g = content(terms)
            known = self.sums.get(terms if g == 1 else tuple((s, k // g) for s, k in terms))
            if known is not None:
                best = min(best, g * known + e.const)
        return self._upper_by_origin(e, depth, best) if depth and self.origins else best

    def _upper_by_differences(self, e: Linear) -> int:
        total = e.const
        left = dict(e.terms)
        plain = self.plain_upper(e)
        differences = self.differences
        for s, k in e.terms:
            if k <= 0:
                continue
            for t, m in e.terms:
                if m < 0 and left[s] > 0 and left[t] < 0:
                    known = differences.get((s, t))
                    if known is not None:
                        amount = min(left[s], -left[t])
                        left[s] -= amount
                        left[t] += amount
                        total += amount * known
        ranges = self.ranges
        for s, k in left.items():
            if k:
                total += k * ranges[s][k > 0]
        return min(total, plain)

    def _upper_by_origin(self, e: Linear, depth: int, best: int) -> int:
        for s, k in e.terms:
            origin = self.origins.get(s)
            if origin is None or origin.op != "floor":
                continue
            divisor = int(origin.detail)
            (arg,) = origin.args
            if k < 0:
                arg = plus(arg, 1 - divisor)
            rest = Linear(tuple(t for t in e.terms if t[0] != s), e.const)
            whole = sub(times(rest, divisor), times(arg, -k))
            best = min(best, self.upper(whole, depth - 1) // divisor)
        return best

    def lower(self, e: Linear) -> int:
        """A lower bound of the term."""
        terms = e.terms
        if not terms:
            return e.const
        if len(terms) == 1:
            s, k = terms[0]
            return k * self.ranges[s][k < 0] + e.const
        return -self.upper(times(e, -1))

    def range(self, e: Linear) -> Range:
        """Both bounds."""
        terms = e.terms
        if not terms:
            return e.const, e.const
        if len(terms) == 1:
            (s, k), c = terms[0], e.const
            low, high = self.ranges[s]
            return (k * low + c, k * high + c) if k > 0 else (k * high + c, k * low + c)
        return self.lower(e), self.upper(e)

    # --- assumptions ----------------------------------------------------------------------------------------

    def assume(self, e: Linear, depth: int = _DEEPEST) -> bool:
        """Takes `e <= 0` as known; False if that cannot be."""
        terms = e.terms
        if not terms:
            return e.const <= 0
        if len(terms) == 1:
            s, k = terms[0]
            low, high = self.ranges[s]
            if k > 0:
                return self.restrict(s, low, -e.const // k, depth)
            return self.restrict(s, -(-e.const // -k), high, depth)
        if self.lower(e) > 0:
            return False
        if self.upper(e) <= 0:
            return True
        g = content(terms)
        if g > 1:
            terms = tuple((s, k // g) for s, k in terms)
        limit = -e.const // g
        if len(terms) == 2 and terms[0][1] == -terms[1][1] and abs(terms[0][1]) == 1:
            (s, _), (t, _) = terms if terms[0][1] == 1 else (terms[1], terms[0])
            if not self._add_difference(s, t, limit):
                return False
        elif len(terms) > 1 and (terms in self.sums or len(self.sums) < _MOST_SUMS):
            self.sums[terms] = min(limit, self.sums.get(terms, limit))
        return self._narrow(terms, limit, depth)

    def assume_equal(self, e: Linear, depth: int = _DEEPEST) -> bool:
        """Takes `e == 0` as known; False if that cannot be."""
        return self.assume(e, depth) and self.assume(times(e, -1), depth)

    def assume_other(self, e: Linear, depth: int = _DEEPEST) -> bool:
        """Takes `e != 0` as known; False if that cannot be."""
        low, high = self.range(e)
        if low == 0 and high == 0:
            return False
        if high == 0:
            return self.assume(plus(e, 1), depth)
        if low == 0:
            return self.assume(plus(times(e, -1), 1), depth)
        if low < 0 < high and len(self.others) < _MOST_SUMS:
            self.others[_upright(e)] = None
        return True

    def is_other(self, e: Linear) -> bool:
        """Whether the term is known not to be 0."""
        low, high = self.range(e)
        if low > 0 or high < 0 or _upright(e) in self.others:
            return True
        if len(e.terms) == 1 and e.const == 0:
            origin = self.origins.get(e.terms[0][0])
            return (
                origin is not None and origin.op in ("signed", "unsigned") and _upright(origin.args[0]) in self.others
            )
        return False

    def _add_difference(self, s: Symbol, t: Symbol, limit: int) -> bool:
        """`s - t <= limit` with what follows; False when that contradicts what is known."""
        differences = self.differences
        back = differences.get((t, s))
        if back is not None and back + limit < 0:
            return False
        into, out = [(s, 0)], [(t, 0)]
        if len(differences) < _MOST_DIFFERENCES:
            for (u, v), c in differences.items():
                if v == s and u != t:
                    into.append((u, c))
                elif u == t and v != s:
                    out.append((v, c))
        for u, c in into:
            for v, d in out:
                if u != v:
                    new = c + limit + d
                    old = differences.get((u, v))
                    if old is None or new < old:
                        differences[u, v] = new
        return True

    def _narrow(self, terms: Terms, limit: int, depth: int) -> bool:
        """Ranges from `terms <= limit`."""
        least = 0
        for s, k in terms:
            least += k * self.ranges[s][k < 0]
        for s, k in terms:
            low, high = self.ranges[s]
            room = limit - (least - k * (low if k > 0 else high))
            if k > 0 and room // k < high and not self.restrict(s, low, room // k, depth):
                return False
            if k < 0 and -(room // -k) > low and not self.restrict(s, -(room // -k), high, depth):
                return False
        return True

    def restrict(self, s: Symbol, low: int, high: int, depth: int = _DEEPEST) -> bool:
        """Takes `low <= s <= high` as known, with what follows; False if that cannot be."""
        was = self.ranges[s]
        low, high = max(low, was[0]), min(high, was[1])
        if low > high:
            return False
        if (low, high) == was:
            return True
        self.ranges[s] = (low, high)
        if depth <= 0:
            return True
        if self.differences and not self._spread(s, low, high, depth):
            return False
        origin = self.origins.get(s)
        return origin is None or self._conclude(s, origin, low, high, depth - 1)

    def _spread(self, s: Symbol, low: int, high: int, depth: int) -> bool:
        """The bounds of symbols that differ from this one by a known amount."""
        ranges = self.ranges
        changed = []
        for (u, v), c in self.differences.items():
            if v == s and high + c < ranges[u][1]:
                changed.append((u, ranges[u][0], high + c))
            elif u == s and low - c > ranges[v][0]:
                changed.append((v, low - c, ranges[v][1]))
        return all(self.restrict(u, a, b, depth - 1) for u, a, b in changed)

    def _conclude(self, s: Symbol, origin: Origin, low: int, high: int, depth: int) -> bool:
        """What the range of a symbol says about what it was computed from."""
        op, detail, args = origin
        me = symbol(s)
        if op == "icmp":
            if low == high:
                return self.assume_compare(str(detail), args[0], args[1], bool(low), depth)
        elif op == "floor":
            k = int(detail)
            return self.assume(plus(times(args[0], -1), k * low), depth) and self.assume(
                plus(args[0], -(k * high + k - 1)), depth
            )
        elif op == "unsigned":
            half = 1 << (int(detail) - 1)
            if high < half:
                return self.assume_equal(sub(args[0], me), depth)
            if low >= half and self.upper(args[0]) < half:
                return self.assume_equal(plus(sub(args[0], me), 2 * half), depth)
        elif op == "signed" and low >= 0:
            return self.assume_equal(sub(args[0], me), depth)
        return True

    def assume_compare(self, predicate: str, a: Linear, b: Linear, holds: bool, depth: int = _DEEPEST) -> bool:
        """Takes the outcome of a comparison of signed numbers as known (eq ne slt sle sgt sge); False if that cannot be."""
        if not holds:
            predicate = OPPOSITE[predicate]
        if predicate == "eq":
            return self.assume_equal(sub(a, b), depth)
        if predicate == "ne":
            return self.assume_other(sub(a, b), depth)
        if predicate in ("sgt", "sge"):
            a, b = b, a
        e = sub(a, b)
        return self.assume(plus(e, 1) if predicate in ("slt", "sgt") else e, depth)


def _upright(e: Linear) -> Linear:
    """The term or its negative, so that both are written alike."""
    return e if e.terms[0][1] > 0 else times(e, -1)


OPPOSITE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
