"""The numeric domain: ranges, differences (zones), sums, disequalities and origins of symbols.

A state stands for all assignments of integers to its symbols that satisfy these facts. Differences are closed
transitively as they are added.
"""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.linear_terms import Linear, Range, Symbol, Terms, coefficient_gcd, plus, sub, symbol, times

MAX_DIFFERENCES = 300  # kept closed; closing takes time linear in their number for every new one
MAX_SUMS = 60  # and as many disequalities: they decide few checks, but every join walks over them
MAX_PROPAGATION_DEPTH = 5  # derivations in a chain after one assumption: bounds the time that it takes


class SymbolOrigin(NamedTuple):
    """How a symbol was computed: `op` of the arguments; `detail` is a width, a divisor or a predicate.

    unsigned, signed: the same bits read that way · trunc: the low bits · floor: divided and rounded down ·
    icmp: 1 if the comparison holds, else 0 · any other: the same computation gives the same value, nothing more
    """

    op: str
    detail: int | str
    args: tuple[Linear, ...]


class SymbolFacts:
    """Ranges, differences `s - t <= c`, other sums `terms <= c`, terms that are not 0, and the origins of symbols."""

    __slots__ = ("differences", "disequalities", "origins", "ranges", "sums", "symbols")

    def __init__(self) -> None:
        self.ranges: dict[Symbol, Range] = {}
        self.differences: dict[tuple[Symbol, Symbol], int] = {}
        self.sums: dict[Terms, int] = {}
        self.disequalities: dict[Linear, None] = {}  # terms that are not 0; used as an ordered set
        self.origins: dict[Symbol, SymbolOrigin] = {}
        self.symbols: dict[SymbolOrigin, Symbol] = {}

    def copy(self) -> SymbolFacts:
        """A copy that can be changed independently."""
        new = SymbolFacts.__new__(SymbolFacts)
        new.ranges = self.ranges.copy()
        new.differences = self.differences.copy()
        new.sums = self.sums.copy()
        new.disequalities = self.disequalities.copy()
        new.origins = self.origins.copy()
        new.symbols = self.symbols.copy()
        return new

    # --- queries --------------------------------------------------------------------------------------------

    def upper_by_ranges(self, e: Linear) -> int:
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
        best = self._upper_by_differences(e) if self.differences else self.upper_by_ranges(e)
        if self.sums:
            g = coefficient_gcd(terms)
            known = self.sums.get(terms if g == 1 else tuple((s, k // g) for s, k in terms))
            if known is not None:
                best = min(best, g * known + e.const)
        return self._upper_by_origin(e, depth, best) if depth and self.origins else best

    def _upper_by_differences(self, e: Linear) -> int:
        total = e.const
        left = dict(e.terms)
        plain = self.upper_by_ranges(e)
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
        """The lower and the upper bound of the term."""
        terms = e.terms
        if not terms:
            return e.const, e.const
        if len(terms) == 1:
            (s, k), c = terms[0], e.const
            low, high = self.ranges[s]
            return (k * low + c, k * high + c) if k > 0 else (k * high + c, k * low + c)
        return self.lower(e), self.upper(e)

    # --- assumptions ----------------------------------------------------------------------------------------

    def assume_nonpositive(self, e: Linear, depth: int = MAX_PROPAGATION_DEPTH) -> bool:
        """Assume `e <= 0`; False if that contradicts the facts."""
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
        g = coefficient_gcd(terms)
        if g > 1:
            terms = tuple((s, k // g) for s, k in terms)
        limit = -e.const // g
        if len(terms) == 2 and terms[0][1] == -terms[1][1] and abs(terms[0][1]) == 1:
            (s, _), (t, _) = terms if terms[0][1] == 1 else (terms[1], terms[0])
            if not self._add_difference(s, t, limit):
                return False
        elif len(terms) > 1 and (terms in self.sums or len(self.sums) < MAX_SUMS):
            self.sums[terms] = min(limit, self.sums.get(terms, limit))
        return self._propagate_ranges(terms, limit, depth)

    def assume_zero(self, e: Linear, depth: int = MAX_PROPAGATION_DEPTH) -> bool:
        """Assume `e == 0`; False if that contradicts the facts."""
        return self.assume_nonpositive(e, depth) and self.assume_nonpositive(times(e, -1), depth)

    def assume_nonzero(self, e: Linear, depth: int = MAX_PROPAGATION_DEPTH) -> bool:
        """Assume `e != 0`; False if that contradicts the facts."""
        low, high = self.range(e)
        if low == 0 and high == 0:
            return False
        if high == 0:
            return self.assume_nonpositive(plus(e, 1), depth)
        if low == 0:
            return self.assume_nonpositive(plus(times(e, -1), 1), depth)
        if low < 0 < high and len(self.disequalities) < MAX_SUMS:
            self.disequalities[_normalised_sign(e)] = None
        return True

    def is_nonzero(self, e: Linear) -> bool:
        """Whether the term is certainly not 0."""
        low, high = self.range(e)
        if low > 0 or high < 0 or _normalised_sign(e) in self.disequalities:
            return True
        if len(e.terms) == 1 and e.const == 0:
            origin = self.origins.get(e.terms[0][0])
            return (
                origin is not None
                and origin.op in ("signed", "unsigned")
                and _normalised_sign(origin.args[0]) in self.disequalities
            )
        return False

    def _add_difference(self, s: Symbol, t: Symbol, limit: int) -> bool:
        """Add `s - t <= limit` and close transitively; False if that contradicts the facts."""
        differences = self.differences
        back = differences.get((t, s))
        if back is not None and back + limit < 0:
            return False
        into, out = [(s, 0)], [(t, 0)]
        if len(differences) < MAX_DIFFERENCES:
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

    def _propagate_ranges(self, terms: Terms, limit: int, depth: int) -> bool:
        """Narrow the ranges of the symbols by `terms <= limit`; False if one becomes empty."""
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

    def restrict(self, s: Symbol, low: int, high: int, depth: int = MAX_PROPAGATION_DEPTH) -> bool:
        """Assume `low <= s <= high` and propagate; False if that contradicts the facts."""
        was = self.ranges[s]
        low, high = max(low, was[0]), min(high, was[1])
        if low > high:
            return False
        if (low, high) == was:
            return True
        self.ranges[s] = (low, high)
        if depth <= 0:
            return True
        if self.differences and not self._propagate_differences(s, low, high, depth):
            return False
        origin = self.origins.get(s)
        return origin is None or self._propagate_to_origin(s, origin, low, high, depth - 1)

    def _propagate_differences(self, s: Symbol, low: int, high: int, depth: int) -> bool:
        """Narrow the ranges of symbols whose difference to this one is bounded; False if one becomes empty."""
        ranges = self.ranges
        changed = []
        for (u, v), c in self.differences.items():
            if v == s and high + c < ranges[u][1]:
                changed.append((u, ranges[u][0], high + c))
            elif u == s and low - c > ranges[v][0]:
                changed.append((v, low - c, ranges[v][1]))
        return all(self.restrict(u, a, b, depth - 1) for u, a, b in changed)

    def _propagate_to_origin(self, s: Symbol, origin: SymbolOrigin, low: int, high: int, depth: int) -> bool:
        """Propagate the range of a symbol to the terms it was computed from; False on a contradiction."""
        op, detail, args = origin
        me = symbol(s)
        if op == "icmp":
            if low == high:
                return self.assume_compare(str(detail), args[0], args[1], bool(low), depth)
        elif op == "floor":
            k = int(detail)
            return self.assume_nonpositive(plus(times(args[0], -1), k * low), depth) and self.assume_nonpositive(
                plus(args[0], -(k * high + k - 1)), depth
            )
        elif op == "unsigned":
            half = 1 << (int(detail) - 1)
            if high < half:
                return self.assume_zero(sub(args[0], me), depth)
            if low >= half and self.upper(args[0]) < half:
                return self.assume_zero(plus(sub(args[0], me), 2 * half), depth)
        elif op == "signed" and low >= 0:
            return self.assume_zero(sub(args[0], me), depth)
        return True

    def assume_compare(
        self, predicate: str, a: Linear, b: Linear, holds: bool, depth: int = MAX_PROPAGATION_DEPTH
    ) -> bool:
        """Assume the outcome of a signed comparison (eq ne slt sle sgt sge); False if that contradicts the facts."""
        if not holds:
            predicate = NEGATED_PREDICATE[predicate]
        if predicate == "eq":
            return self.assume_zero(sub(a, b), depth)
        if predicate == "ne":
            return self.assume_nonzero(sub(a, b), depth)
        if predicate in ("sgt", "sge"):
            a, b = b, a
        e = sub(a, b)
        return self.assume_nonpositive(plus(e, 1) if predicate in ("slt", "sgt") else e, depth)


def _normalised_sign(e: Linear) -> Linear:
    """The term or its negative, whichever starts with a positive coefficient."""
    return e if e.terms[0][1] > 0 else times(e, -1)


NEGATED_PREDICATE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
