"""Whether one state covers another: every memory that the second allows is allowed by the first."""

from __future__ import annotations

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_state import Content, Rest, State
from butfor.ir.intervals.abstract_values import NULL, General, Pointer, Value, generalised, joined
from butfor.ir.intervals.join_and_widen import as_many, overlaps, value_at
from butfor.ir.intervals.linear_terms import Linear, Symbol, constant, exact_div, plus, sub, substitute, symbol
from butfor.ir.intervals.symbol_facts import Origin


class _Refuted(Exception):
    """The larger state has something that does not hold in the smaller."""


class Cover:
    """Finds for each symbol of the larger state the term of the smaller one that it stands for, then asks what the larger state claims."""

    def __init__(self, large: State, small: State, arithmetic: Arithmetic) -> None:
        self.large, self.small = large, small
        self.arithmetic = arithmetic  # of the small state: it gets symbols for what is in no cell
        self.means: dict[Symbol, Linear] = {}
        self.later: list[tuple[Linear, Linear]] = []

    def holds(self) -> bool:
        """Whether the larger covers the smaller."""
        try:
            self._memory()
            for key, v in self.large.slots.items():
                if key in self.small.slots:
                    self._value(v, self.small.slots[key])
                elif v is not None:
                    return False
            self._postponed()
            self._origins()
        except _Refuted:
            return False
        return self._numbers()

    def _memory(self) -> None:
        for o, y in self.small.memory.items():
            x = self.large.memory.get(o)
            if x is None:
                raise _Refuted
            if x.many:
                self._many(x, as_many(y, self.small.numbers))
            elif y.many:
                raise _Refuted
            else:
                self._content(x, y)

    def _content(self, x: Content, y: Content) -> None:
        for place, v in x.cells.items():
            if v is not None:
                self._value(v, value_at(y, place, self.arithmetic))
        if x.size is not None:
            if y.size is None:
                raise _Refuted
            self._term(x.size, y.size)
        if x.rest is not None:
            self._rest(x.rest, y.rest)
            for place, v in y.cells.items():
                if place not in x.cells:
                    self._in_rest(x, place, generalised(v, self.small.numbers))

    def _in_rest(self, x: Content, place: tuple[int, int], v: General) -> None:
        assert x.rest is not None
        fits = x.rest.size == place[1] and place[0] % place[1] == 0 and not overlaps(x, place)
        if not fits or v is None or joined(x.rest.value, v) != x.rest.value:
            raise _Refuted

    def _rest(self, x: Rest, y: Rest | None) -> None:
        if y is None or (y.size and y.size != x.size) or joined(x.value, y.value) != x.value:
            raise _Refuted

    def _many(self, x: Content, y: Content) -> None:
        assert x.general is not None
        assert y.general is not None
        for place, v in x.general.items():
            if v is not None and (place not in y.general or joined(v, y.general[place]) != v):
                raise _Refuted
        if x.rest is not None:
            if not y.general.keys() <= x.general.keys():
                raise _Refuted
            self._rest(x.rest, y.rest)
        if x.sizes is not None and (y.sizes is None or y.sizes[0] < x.sizes[0] or y.sizes[1] > x.sizes[1]):
            raise _Refuted

    # --- values ---------------------------------------------------------------------------------------------

    def _value(self, v: Value, w: Value) -> None:
        if v is None:
            return
        if isinstance(v, Linear):
            if not isinstance(w, Linear):
                raise _Refuted
            self._term(v, w)
            return
        if isinstance(w, Linear) and w == constant(0):
            w = NULL
        if not isinstance(w, Pointer) or (w.unknown and not v.unknown):
            raise _Refuted
        self._term(v.exists, w.exists)
        targets = dict(v.targets)
        for o, e in w.targets:
            if o not in targets:
                raise _Refuted
            self._term(targets[o], e)

    def _term(self, x: Linear, y: Linear) -> None:
        """The term of the larger state has to stand for the other one."""
        if not x.terms:
            if x != y:
                raise _Refuted
        elif len(x.terms) == 1:
            (s, k) = x.terms[0]
            e = exact_div(plus(y, -x.const), k)
            if e is None or self.means.setdefault(s, e) != e:
                raise _Refuted
        else:
            self.later.append((x, y))

    def _postponed(self) -> None:
        for x, y in self.later:
            for s, _ in x.terms:
                self._itself(s)
            if substitute(x, self.means) != y:
                raise _Refuted

    def _itself(self, s: Symbol) -> None:
        """A symbol without a meaning stands for itself, if the smaller state has it."""
        if s not in self.means:
            if s not in self.small.numbers.ranges:
                raise _Refuted
            self.means[s] = symbol(s)

    def _origins(self) -> None:
        origins = self.small.numbers.origins
        work = [s for s in self.means if s in self.large.numbers.origins]
        for s in work:  # grows while it is walked
            origin, me = self.large.numbers.origins[s], self.means[s]
            for e in origin.args:
                for t, _ in e.terms:
                    if t not in self.means:
                        self._itself(t)
                        if t in self.large.numbers.origins:
                            work.append(t)
            meant = Origin(origin.op, origin.detail, tuple(substitute(e, self.means) for e in origin.args))
            if len(me.terms) != 1 or me != symbol(me.terms[0][0]) or origins.get(me.terms[0][0]) != meant:
                raise _Refuted

    def _numbers(self) -> bool:
        large, small, means = self.large.numbers, self.small.numbers, self.means
        for s, e in means.items():
            (low, high), (a, b) = large.ranges[s], small.range(e)
            if a < low or b > high:
                return False
        for (s, t), c in large.differences.items():
            if s in means and t in means and small.upper(sub(means[s], means[t])) > c:
                return False
        for terms, c in large.sums.items():
            if all(s in means for s, _ in terms) and small.upper(substitute(Linear(terms, 0), means)) > c:
                return False
        for e in large.others:
            if all(s in means for s, _ in e.terms):
                meant = substitute(e, means)
                if not meant.terms or not small.is_other(meant):
                    return False
        return True


def covers(large: State, small: State, fresh: Arithmetic) -> bool:
    """Whether the larger state covers the smaller."""
    return Cover(large, small, fresh).holds()
