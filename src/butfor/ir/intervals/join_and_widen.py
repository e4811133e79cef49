"""The join and the widening of two states.

Both states say "there are values of my symbols such that": what both write with the same term keeps it, what they write differently gets a new symbol
that stands for the one in states of the first and for the other in states of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from butfor.ir.intervals.abstract_arithmetic import Arithmetic, type_range
from butfor.ir.intervals.abstract_state import Content, Place, Rest, State
from butfor.ir.intervals.abstract_values import (
    MOST_TARGETS,
    NULL,
    Pointer,
    Value,
    generalised,
    hull,
    instantiated,
    joined,
    widened,
)
from butfor.ir.intervals.linear_terms import Linear, Range, Symbol, constant, content, plus, sub, symbol, times
from butfor.ir.intervals.symbol_facts import Numbers

_OFFSETS: Range = (-(1 << 63), (1 << 63) - 1)
_ANY: Range = (-(1 << 127), (1 << 128) - 1)
_FLAG: Range = (0, 1)
_MANY = 24
Thresholds = Sequence[int]


def value_at(content: Content, place: Place, arithmetic: Arithmetic) -> Value:
    """What a cell holds, be it from what is known of all other cells."""
    if place in content.cells:
        return content.cells[place]
    if content.rest is None or overlaps(content, place):
        return None
    size, value = content.rest
    if size == 0:
        return constant(0)
    return instantiated(value, arithmetic) if size == place[1] and place[0] % size == 0 else None


def overlaps(content: Content, place: Place) -> bool:
    """Whether a cell of the object shares bytes with the place."""
    at, size = place
    return any(o < at + size and at < o + k for o, k in content.cells)


class Joiner:
    """One join of two states, or a widening of the first by the second when thresholds are given."""

    def __init__(self, a: State, b: State, fresh: Iterator[int], thresholds: Thresholds | None = None) -> None:
        self.a, self.b = a, b
        self.an, self.bn = a.numbers, b.numbers
        self.at_a, self.at_b = Arithmetic(self.an, fresh), Arithmetic(self.bn, fresh)
        self.fresh = fresh
        self.thresholds = thresholds
        self.known: dict[tuple[Linear, Linear], Linear] = {}
        self.pairs: dict[Symbol, tuple[Linear, Linear]] = {}
        self.shared: dict[Symbol, None] = {}
        self.limits: dict[Symbol, Range] = {}
        self.numbers = Numbers()

    def result(self) -> State:
        """The state that covers both."""
        memory = self._memory()
        slots = {key: self._value(v, self.b.slots[key], _ANY) for key, v in self.a.slots.items() if key in self.b.slots}
        self._keep_origins()
        self._ranges()
        self._differences()
        return State(self.numbers, memory, slots)

    # --- terms ----------------------------------------------------------------------------------------------

    def _term(self, x: Linear, y: Linear, limits: Range, strides: bool = False) -> Linear:
        if x == y:
            for s, _ in x.terms:
                self.shared[s] = None
            return x
        found = self.known.get((x, y))
        if found is None:
            found = self.known[x, y] = self._new_term(x, y, limits, strides)
        return found

    def _new_term(self, x: Linear, y: Linear, limits: Range, strides: bool) -> Linear:
        stride, rest = 1, 0
        if strides:
            stride = gcd(content(x.terms), content(y.terms), x.const - y.const) or 1
            rest = x.const % stride
        s = next(self.fresh)
        if stride > 1:
            x, y = (Linear(tuple((t, k // stride) for t, k in e.terms), (e.const - rest) // stride) for e in (x, y))
            limits = (limits[0] // stride, limits[1] // stride)
        self.pairs[s] = (x, y)
        self.limits[s] = limits
        return plus(times(symbol(s), stride), rest)

    def _lone(self, e: Linear, numbers: Numbers) -> Linear:
        """A term that only one of the states has."""
        if e.is_const:
            return e
        low, high = numbers.range(e)
        if low == high:
            return constant(low)
        stride = content(e.terms)
        rest = e.const % stride
        s = next(self.fresh)
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
        exists = self._term(x.exists, y.exists, _FLAG)
        of_y = dict(y.targets)
        targets = []
        for o, e in x.targets:
            other = of_y.pop(o, None)
            targets.append(
                (o, self._lone(e, self.an) if other is None else self._term(e, other, _OFFSETS, strides=True))
            )
        targets += [(o, self._lone(e, self.bn)) for o, e in of_y.items()]
        if len(targets) > MOST_TARGETS:
            return Pointer((), exists, True)
        return Pointer(tuple(sorted(targets)), exists, x.unknown or y.unknown)

    # --- memory ---------------------------------------------------------------------------------------------

    def _memory(self) -> dict[int, Content]:
        memory = {}
        for o, x in self.a.memory.items():
            y = self.b.memory.get(o)
            memory[o] = self._alone(x, self.an) if y is None else self._same(x) if x is y else self._content(x, y)
        for o, y in self.b.memory.items():
            if o not in self.a.memory:
                memory[o] = self._alone(y, self.bn)
        return memory

    def _same(self, x: Content) -> Content:
        shared = self.shared
        for value in x.cells.values():
            if isinstance(value, Linear):
                for s, _ in value.terms:
                    shared[s] = None
            elif value is not None:
                for s, _ in value.exists.terms:
                    shared[s] = None
                for _, e in value.targets:
                    for s, _ in e.terms:
                        shared[s] = None
        if x.size is not None:
            for s, _ in x.size.terms:
                shared[s] = None
        return x

    def _alone(self, x: Content, numbers: Numbers) -> Content:
        if x.many:
            return x
        size = None if x.size is None else self._lone(x.size, numbers)
        return Content({p: self._alone_value(v, numbers) for p, v in x.cells.items()}, x.rest, size)

    def _alone_value(self, v: Value, numbers: Numbers) -> Value:
        if v is None:
            return None
        if isinstance(v, Linear):
            return self._lone(v, numbers)
        return Pointer(
            tuple((o, self._lone(e, numbers)) for o, e in v.targets), self._lone(v.exists, numbers), v.unknown
        )

    def _content(self, x: Content, y: Content) -> Content:
        if x.many or y.many:
            return self._many(as_many(x, self.an), as_many(y, self.bn))
        cells: dict[Place, Value] = {}
        for place in x.cells if x.cells.keys() == y.cells.keys() else {**x.cells, **y.cells}:
            limits = type_range(8 * place[1])
            v = self._value(
                value_at(x, place, self.at_a), value_at(y, place, self.at_b), (limits[0], 2 * limits[1] + 1)
            )
            cells[place] = v
        size = None if x.size is None or y.size is None else self._term(x.size, y.size, _OFFSETS, strides=True)
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

    def _many(self, x: Content, y: Content) -> Content:
        """Cells that both have: what only one of them has could be anything in the other."""
        assert x.general is not None
        assert y.general is not None
        general = {}
        for place, v in x.general.items():
            if place in y.general:
                w = y.general[place]
                general[place] = joined(v, w) if self.thresholds is None else widened(v, w, place[1])
        rest = self._rest(x.rest, y.rest) if x.general.keys() == y.general.keys() else None
        sizes = None if x.sizes is None or y.sizes is None else hull(x.sizes, y.sizes)
        if self.thresholds is not None and sizes is not None and x.sizes is not None and sizes != x.sizes:
            low, high = sizes
            sizes = (low if low == x.sizes[0] else min(low, 0), high if high == x.sizes[1] else max(high, 1 << 64))
        return Content({}, rest, None, True, general, sizes)

    # --- numbers --------------------------------------------------------------------------------------------

    def _keep_origins(self) -> None:
        """Symbols that both states have keep where they came from."""
        work = list(self.shared)
        for s in work:  # grows while it is walked
            origin = self.an.origins.get(s)
            if origin is None or self.bn.origins.get(s) != origin:
                continue
            symbols = [t for e in origin.args for t, _ in e.terms]
            if all(t in self.an.ranges and t in self.bn.ranges for t in symbols):
                self.numbers.origins[s] = origin
                self.numbers.symbols[origin] = s
                for t in symbols:
                    if t not in self.shared:
                        self.shared[t] = None
                        work.append(t)

    def _ranges(self) -> None:
        ranges = self.numbers.ranges
        for s in self.shared:
            x, y = self.an.ranges[s], self.bn.ranges[s]
            ranges[s] = x if x == y else self._range(x, y, _ANY)
        for s, (e, f) in self.pairs.items():
            ranges[s] = self._range(self.an.range(e), self.bn.range(f), self.limits[s])

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
        old = [k for k in {**self.an.differences, **self.bn.differences} if k[0] in self.shared and k[1] in self.shared]
        for s, t in old:
            self._difference(s, t, symbol(s), symbol(s), symbol(t), symbol(t))
        for e in self.an.others:
            if all(s in self.shared for s, _ in e.terms) and (e in self.bn.others or self.bn.is_other(e)):
                self.numbers.others[e] = None
        if self.an.sums and self.bn.sums:
            self._sums()
        if not self.pairs:
            return
        fresh = list(self.pairs)[:_MANY]
        around = list(self.shared)[:_MANY] if self.thresholds is not None else None
        for i, s in enumerate(fresh):
            e, f = self.pairs[s]
            for t in fresh[:i]:
                g, h = self.pairs[t]
                self._difference(s, t, e, f, g, h)
                self._difference(t, s, g, h, e, f)
            for t in self._near(e, f) if around is None else around:
                me = symbol(t)
                self._difference(s, t, e, f, me, me)
                self._difference(t, s, me, me, e, f)

    def _near(self, e: Linear, f: Linear) -> list[Symbol]:
        """The symbols of both states that one of them relates to the term."""
        found: dict[Symbol, None] = {}
        for numbers, x in ((self.an, e), (self.bn, f)):
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
        """What `s - t` is at most: `e - g` in one state, `f - h` in the other."""
        one, other = self.an.upper(sub(e, g)), self.bn.upper(sub(f, h))
        if other > one:
            if self.thresholds is not None:
                return
            one = other
        ranges = self.numbers.ranges
        if one < ranges[s][1] - ranges[t][0]:
            self.numbers.differences[s, t] = one

    def _sums(self) -> None:
        for terms, c in self.an.sums.items():
            d = self.bn.sums.get(terms)
            if d is not None and all(s in self.shared for s, _ in terms) and (self.thresholds is None or d <= c):
                self.numbers.sums[terms] = max(c, d)


def as_many(x: Content, numbers: Numbers) -> Content:
    """The memory of one object as that of several."""
    if x.many:
        return x
    general = {p: generalised(v, numbers) for p, v in x.cells.items()}
    sizes = None if x.size is None else numbers.range(x.size)
    return Content({}, x.rest, None, True, general, sizes)
