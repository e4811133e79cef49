"""The join and the widening of two states.

Both states say "there are values of my symbols such that": where both have the same term, the result keeps it; where
they differ, it gets a fresh symbol that stands for the term of the first or of the second state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from butfor.ir.intervals.abstract_arithmetic import Arithmetic, signed_range
from butfor.ir.intervals.abstract_state import AbstractState, Content, Place, Rest
from butfor.ir.intervals.abstract_values import (
    MAX_TARGETS,
    NULL,
    OFFSET_RANGE,
    Pointer,
    Value,
    hull,
    instantiated,
    joined,
    summarised,
    widened,
)
from butfor.ir.intervals.linear_terms import Linear, Range, Symbol, coefficient_gcd, constant, plus, sub, symbol, times
from butfor.ir.intervals.symbol_facts import SymbolFacts

ANY_INTEGER: Range = (-(1 << 127), (1 << 128) - 1)
TRUTH_VALUE: Range = (0, 1)
MAX_RELATED_SYMBOLS = 24  # fresh ones whose differences are joined: their number is the square of this one
Thresholds = Sequence[int]


def value_at(content: Content, place: Place, arithmetic: Arithmetic) -> Value:
    """The value of a place: of its cell, else of the elements outside the cells."""
    if place in content.cells:
        return content.cells[place]
    if content.rest is None or overlaps(content, place):
        return None
    size, value = content.rest
    if size == 0:
        return constant(0)
    return instantiated(value, arithmetic) if size == place[1] and place[0] % size == 0 else None


def overlaps(content: Content, place: Place) -> bool:
    """Whether a cell of the object overlaps the place."""
    at, size = place
    return any(o < at + size and at < o + k for o, k in content.cells)


class Joiner:
    """The join of two states, or with thresholds the widening of the first by the second."""

    def __init__(
        self, a: AbstractState, b: AbstractState, fresh: Iterator[int], thresholds: Thresholds | None = None
    ) -> None:
        self.a, self.b = a, b
        self.numbers_a, self.numbers_b = a.numbers, b.numbers
        self.arithmetic_a, self.arithmetic_b = Arithmetic(self.numbers_a, fresh), Arithmetic(self.numbers_b, fresh)
        self.fresh_symbols = fresh
        self.thresholds = thresholds
        self.joined_terms: dict[tuple[Linear, Linear], Linear] = {}
        self.pairs: dict[Symbol, tuple[Linear, Linear]] = {}
        self.shared: dict[Symbol, None] = {}
        self.limits: dict[Symbol, Range] = {}
        self.numbers = SymbolFacts()

    def result(self) -> AbstractState:
        """The least state found that covers both."""
        memory = self._memory()
        slots = {
            key: self._value(v, self.b.slots[key], ANY_INTEGER)
            for key, v in self.a.slots.items()
            if key in self.b.slots
        }
        self._keep_origins()
        self._ranges()
        self._differences()
        return AbstractState(self.numbers, memory, slots)

    # --- terms ----------------------------------------------------------------------------------------------

    def _term(self, x: Linear, y: Linear, limits: Range, use_stride: bool = False) -> Linear:
        if x == y:
            for s, _ in x.terms:
                self.shared[s] = None
            return x
        found = self.joined_terms.get((x, y))
        if found is None:
            found = self.joined_terms[x, y] = self._new_term(x, y, limits, use_stride)
        return found

    def _new_term(self, x: Linear, y: Linear, limits: Range, use_stride: bool) -> Linear:
        stride, rest = 1, 0
        if use_stride:
            stride = gcd(coefficient_gcd(x.terms), coefficient_gcd(y.terms), x.const - y.const) or 1
            rest = x.const % stride
        s = next(self.fresh_symbols)
        if stride > 1:
            x, y = (Linear(tuple((t, k // stride) for t, k in e.terms), (e.const - rest) // stride) for e in (x, y))
            limits = (limits[0] // stride, limits[1] // stride)
        self.pairs[s] = (x, y)
        self.limits[s] = limits
        return plus(times(symbol(s), stride), rest)

    def _one_sided_term(self, e: Linear, numbers: SymbolFacts) -> Linear:
        """A term for what only one of the states has."""
        if e.is_const:
            return e
        low, high = numbers.range(e)
        if low == high:
            return constant(low)
        stride = coefficient_gcd(e.terms)
        rest = e.const % stride
        s = next(self.fresh_symbols)
        self.numbers.ranges[s] = ((low - rest) // stride, (high - rest) // stride)
        return plus(times(symbol(s), stride), rest)

    def _value(self, x: Value, y: Value, limits: Range) -> Value:
        if x is None or y is None:
            return None
        if isinstance(x, Linear) and isinstance(y, Linear):
            return self._term(x, y, limits)
        if isinstance(x, Linear):
            x = NULL if x == constant(0) else None
        if isinstance(y, Linear):
            y = NULL if y == constant(0) else None
        return self._pointer(x, y) if isinstance(x, Pointer) and isinstance(y, Pointer) else None

    def _pointer(self, x: Pointer, y: Pointer) -> Pointer:
        nonnull = self._term(x.nonnull, y.nonnull, TRUTH_VALUE)
        targets_y = dict(y.targets)
        targets = []
        for o, e in x.targets:
            other = targets_y.pop(o, None)
            targets.append(
                (
                    o,
                    self._one_sided_term(e, self.numbers_a)
                    if other is None
                    else self._term(e, other, OFFSET_RANGE, use_stride=True),
                )
            )
        targets += [(o, self._one_sided_term(e, self.numbers_b)) for o, e in targets_y.items()]
        if len(targets) > MAX_TARGETS:
            return Pointer((), nonnull, True)
        return Pointer(tuple(sorted(targets)), nonnull, x.unknown or y.unknown)

    # --- memory ---------------------------------------------------------------------------------------------

    def _memory(self) -> dict[int, Content]:
        memory = {}
        for o, x in self.a.memory.items():
            y = self.b.memory.get(o)
            memory[o] = (
                self._one_sided_content(x, self.numbers_a)
                if y is None
                else self._unchanged_content(x)
                if x is y
                else self._content(x, y)
            )
        for o, y in self.b.memory.items():
            if o not in self.a.memory:
                memory[o] = self._one_sided_content(y, self.numbers_b)
        return memory

    def _unchanged_content(self, x: Content) -> Content:
        shared = self.shared
        for value in x.cells.values():
            if isinstance(value, Linear):
                for s, _ in value.terms:
                    shared[s] = None
            elif value is not None:
                for s, _ in value.nonnull.terms:
                    shared[s] = None
                for _, e in value.targets:
                    for s, _ in e.terms:
                        shared[s] = None
        if x.size is not None:
            for s, _ in x.size.terms:
                shared[s] = None
        return x

    def _one_sided_content(self, x: Content, numbers: SymbolFacts) -> Content:
        if x.is_summary:
            return x
        size = None if x.size is None else self._one_sided_term(x.size, numbers)
        return Content({p: self._one_sided_value(v, numbers) for p, v in x.cells.items()}, x.rest, size)

    def _one_sided_value(self, v: Value, numbers: SymbolFacts) -> Value:
        if v is None:
            return None
        if isinstance(v, Linear):
            return self._one_sided_term(v, numbers)
        return Pointer(
            tuple((o, self._one_sided_term(e, numbers)) for o, e in v.targets),
            self._one_sided_term(v.nonnull, numbers),
            v.unknown,
        )

    def _content(self, x: Content, y: Content) -> Content:
        if x.is_summary or y.is_summary:
            return self._summary_content(as_summary(x, self.numbers_a), as_summary(y, self.numbers_b))
        cells: dict[Place, Value] = {}
        for place in x.cells if x.cells.keys() == y.cells.keys() else {**x.cells, **y.cells}:
            limits = signed_range(8 * place[1])
            v = self._value(
                value_at(x, place, self.arithmetic_a),
                value_at(y, place, self.arithmetic_b),
                (limits[0], 2 * limits[1] + 1),
            )
            cells[place] = v
        size = None if x.size is None or y.size is None else self._term(x.size, y.size, OFFSET_RANGE, use_stride=True)
        rest = self._rest(x.rest, y.rest)
        if rest is None:
            cells = {p: v for p, v in cells.items() if v is not None}
        return Content(cells, rest, size)

    def _rest(self, x: Rest | None, y: Rest | None) -> Rest | None:
        if x is None or y is None or x == y:
            return x if x == y else None
        size = x.size or y.size
        if size != (y.size or x.size):
            return None
        value = joined(x.value, y.value) if self.thresholds is None else widened(x.value, y.value, size)
        return None if value is None else Rest(size, value)

    def _summary_content(self, x: Content, y: Content) -> Content:
        """The join of two summary objects: the cells that both have; any other is unknown in one of them."""
        assert x.summary_cells is not None
        assert y.summary_cells is not None
        general = {}
        for place, v in x.summary_cells.items():
            if place in y.summary_cells:
                w = y.summary_cells[place]
                general[place] = joined(v, w) if self.thresholds is None else widened(v, w, place[1])
        rest = self._rest(x.rest, y.rest) if x.summary_cells.keys() == y.summary_cells.keys() else None
        sizes = None if x.size_range is None or y.size_range is None else hull(x.size_range, y.size_range)
        if self.thresholds is not None and sizes is not None and x.size_range is not None and sizes != x.size_range:
            low, high = sizes
            sizes = (
                low if low == x.size_range[0] else min(low, 0),
                high if high == x.size_range[1] else max(high, 1 << 64),
            )
        return Content({}, rest, None, True, general, sizes)

    # --- numbers --------------------------------------------------------------------------------------------

    def _keep_origins(self) -> None:
        """Keep the origins of symbols that are the same in both states."""
        work = list(self.shared)
        for s in work:  # grows during the iteration
            origin = self.numbers_a.origins.get(s)
            if origin is None or self.numbers_b.origins.get(s) != origin:
                continue
            symbols = [t for e in origin.args for t, _ in e.terms]
            if all(t in self.numbers_a.ranges and t in self.numbers_b.ranges for t in symbols):
                self.numbers.origins[s] = origin
                self.numbers.symbols[origin] = s
                for t in symbols:
                    if t not in self.shared:
                        self.shared[t] = None
                        work.append(t)

    def _ranges(self) -> None:
        ranges = self.numbers.ranges
        for s in self.shared:
            x, y = self.numbers_a.ranges[s], self.numbers_b.ranges[s]
            ranges[s] = x if x == y else self._range(x, y, ANY_INTEGER)
        for s, (e, f) in self.pairs.items():
            ranges[s] = self._range(self.numbers_a.range(e), self.numbers_b.range(f), self.limits[s])

    def _range(self, x: Range, y: Range, limits: Range) -> Range:
        low, high = hull(x, y)
        if self.thresholds is None:
            return low, high
        if low < x[0]:
            low = max(limits[0], max((t for t in self.thresholds if t <= low), default=limits[0]))
        if high > x[1]:
            high = min(limits[1], min((t for t in self.thresholds if t >= high), default=limits[1]))
        return min(low, x[0], y[0]), max(high, x[1], y[1])

    def _differences(self) -> None:
        old = [
            k
            for k in {**self.numbers_a.differences, **self.numbers_b.differences}
            if k[0] in self.shared and k[1] in self.shared
        ]
        for s, t in old:
            self._difference(s, t, symbol(s), symbol(s), symbol(t), symbol(t))
        for e in self.numbers_a.disequalities:
            if all(s in self.shared for s, _ in e.terms) and (
                e in self.numbers_b.disequalities or self.numbers_b.is_nonzero(e)
            ):
                self.numbers.disequalities[e] = None
        if self.numbers_a.sums and self.numbers_b.sums:
            self._sums()
        if not self.pairs:
            return
        fresh = list(self.pairs)[:MAX_RELATED_SYMBOLS]
        around = list(self.shared)[:MAX_RELATED_SYMBOLS] if self.thresholds is not None else None
        for i, s in enumerate(fresh):
            e, f = self.pairs[s]
            for t in fresh[:i]:
                g, h = self.pairs[t]
                self._difference(s, t, e, f, g, h)
                self._difference(t, s, g, h, e, f)
            for t in self._related_symbols(e, f) if around is None else around:
                me = symbol(t)
                self._difference(s, t, e, f, me, me)
                self._difference(t, s, me, me, e, f)

    def _related_symbols(self, e: Linear, f: Linear) -> list[Symbol]:
        """Symbols of both states that one of the states relates to the terms."""
        found: dict[Symbol, None] = {}
        for numbers, x in ((self.numbers_a, e), (self.numbers_b, f)):
            for s, _ in x.terms:
                if s in self.shared:
                    found[s] = None
                for u, v in numbers.differences:
                    if u == s and v in self.shared:
                        found[v] = None
                    elif v == s and u in self.shared:
                        found[u] = None
        return list(found)

    def _difference(self, s: Symbol, t: Symbol, e: Linear, f: Linear, g: Linear, h: Linear) -> None:
        """Bound `s - t`, which is `e - g` in the first state and `f - h` in the second."""
        one, other = self.numbers_a.upper(sub(e, g)), self.numbers_b.upper(sub(f, h))
        if other > one:
            if self.thresholds is not None:
                return
            one = other
        ranges = self.numbers.ranges
        if one < ranges[s][1] - ranges[t][0]:
            self.numbers.differences[s, t] = one

    def _sums(self) -> None:
        for terms, c in self.numbers_a.sums.items():
            d = self.numbers_b.sums.get(terms)
            if d is not None and all(s in self.shared for s, _ in terms) and (self.thresholds is None or d <= c):
                self.numbers.sums[terms] = max(c, d)


def as_summary(x: Content, numbers: SymbolFacts) -> Content:
    """The contents of one object as those of a summary object."""
    if x.is_summary:
        return x
    general = {p: summarised(v, numbers) for p, v in x.cells.items()}
    sizes = None if x.size is None else numbers.range(x.size)
    return Content({}, x.rest, None, True, general, sizes)
