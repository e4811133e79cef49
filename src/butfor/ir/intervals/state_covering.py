"""Whether one abstract state covers another: it allows every concrete state that the other allows."""

from __future__ import annotations

from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_state import AbstractState, Content, Rest
from butfor.ir.intervals.abstract_values import NULL, Pointer, SummaryValue, Value, joined, summarised
from butfor.ir.intervals.join_and_widen import as_summary, overlaps, value_at
from butfor.ir.intervals.linear_terms import Linear, Symbol, constant, exact_div, plus, sub, substitute, symbol
from butfor.ir.intervals.symbol_facts import SymbolOrigin


class _Refuted(Exception):
    """The larger state claims something that does not hold in the smaller one."""


class CoverCheck:
    """A match of the symbols of the larger state with terms of the smaller one, then a check of its facts."""

    def __init__(self, large: AbstractState, small: AbstractState, arithmetic: Arithmetic) -> None:
        self.large, self.small = large, small
        self.arithmetic = arithmetic  # of the small state, which gets symbols for places in no cell
        self.meaning: dict[Symbol, Linear] = {}
        self.postponed: list[tuple[Linear, Linear]] = []

    def holds(self) -> bool:
        """Whether the larger state covers the smaller one."""
        try:
            self._match_memory()
            for key, v in self.large.slots.items():
                if key in self.small.slots:
                    self._match_value(v, self.small.slots[key])
                elif v is not None:
                    return False
            self._check_postponed()
            self._match_origins()
        except _Refuted:
            return False
        return self._facts_hold()

    def _match_memory(self) -> None:
        for o, y in self.small.memory.items():
            x = self.large.memory.get(o)
            if x is None:
                raise _Refuted
            if x.is_summary:
                self._summary_content(x, as_summary(y, self.small.numbers))
            elif y.is_summary:
                raise _Refuted
            else:
                self._match_content(x, y)

    def _match_content(self, x: Content, y: Content) -> None:
        for place, v in x.cells.items():
            if v is not None:
                self._match_value(v, value_at(y, place, self.arithmetic))
        if x.size is not None:
            if y.size is None:
                raise _Refuted
            self._match_term(x.size, y.size)
        if x.rest is not None:
            self._match_rest(x.rest, y.rest)
            for place, v in y.cells.items():
                if place not in x.cells:
                    self._match_in_rest(x, place, summarised(v, self.small.numbers))

    def _match_in_rest(self, x: Content, place: tuple[int, int], v: SummaryValue) -> None:
        assert x.rest is not None
        fits = x.rest.size == place[1] and place[0] % place[1] == 0 and not overlaps(x, place)
        if not fits or v is None or joined(x.rest.value, v) != x.rest.value:
            raise _Refuted

    def _match_rest(self, x: Rest, y: Rest | None) -> None:
        if y is None or (y.size and y.size != x.size) or joined(x.value, y.value) != x.value:
            raise _Refuted

    def _summary_content(self, x: Content, y: Content) -> None:
        assert x.summary_cells is not None
        assert y.summary_cells is not None
        for place, v in x.summary_cells.items():
            if v is not None and (place not in y.summary_cells or joined(v, y.summary_cells[place]) != v):
                raise _Refuted
        if x.rest is not None:
            if not y.summary_cells.keys() <= x.summary_cells.keys():
                raise _Refuted
            self._match_rest(x.rest, y.rest)
        if x.size_range is not None and (
            y.size_range is None or y.size_range[0] < x.size_range[0] or y.size_range[1] > x.size_range[1]
        ):
            raise _Refuted

    # --- values ---------------------------------------------------------------------------------------------

    def _match_value(self, v: Value, w: Value) -> None:
        if v is None:
            return
        if isinstance(v, Linear):
            if not isinstance(w, Linear):
                raise _Refuted
            self._match_term(v, w)
            return
        if isinstance(w, Linear) and w == constant(0):
            w = NULL
        if not isinstance(w, Pointer) or (w.unknown and not v.unknown):
            raise _Refuted
        self._match_term(v.nonnull, w.nonnull)
        targets = dict(v.targets)
        for o, e in w.targets:
            if o not in targets:
                raise _Refuted
            self._match_term(targets[o], e)

    def _match_term(self, x: Linear, y: Linear) -> None:
        """Match a term of the larger state with the term of the smaller one at the same place."""
        if not x.terms:
            if x != y:
                raise _Refuted
        elif len(x.terms) == 1:
            (s, k) = x.terms[0]
            e = exact_div(plus(y, -x.const), k)
            if e is None or self.meaning.setdefault(s, e) != e:
                raise _Refuted
        else:
            self.postponed.append((x, y))

    def _check_postponed(self) -> None:
        for x, y in self.postponed:
            for s, _ in x.terms:
                self._stands_for_itself(s)
            if substitute(x, self.meaning) != y:
                raise _Refuted

    def _stands_for_itself(self, s: Symbol) -> None:
        """Let an unmatched symbol stand for itself, if the smaller state has it."""
        if s not in self.meaning:
            if s not in self.small.numbers.ranges:
                raise _Refuted
            self.meaning[s] = symbol(s)

    def _match_origins(self) -> None:
        origins = self.small.numbers.origins
        work = [s for s in self.meaning if s in self.large.numbers.origins]
        for s in work:  # grows during the iteration
            origin, me = self.large.numbers.origins[s], self.meaning[s]
            for e in origin.args:
                for t, _ in e.terms:
                    if t not in self.meaning:
                        self._stands_for_itself(t)
                        if t in self.large.numbers.origins:
                            work.append(t)
            meant = SymbolOrigin(origin.op, origin.detail, tuple(substitute(e, self.meaning) for e in origin.args))
            if len(me.terms) != 1 or me != symbol(me.terms[0][0]) or origins.get(me.terms[0][0]) != meant:
                raise _Refuted

    def _facts_hold(self) -> bool:
        large, small, means = self.large.numbers, self.small.numbers, self.meaning
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
        for e in large.disequalities:
            if all(s in means for s, _ in e.terms):
                meant = substitute(e, means)
                if not meant.terms or not small.is_nonzero(meant):
                    return False
        return True


def covers(large: AbstractState, small: AbstractState, arithmetic: Arithmetic) -> bool:
    """Whether the larger state covers the smaller one; `arithmetic` is that of the smaller."""
    return CoverCheck(large, small, arithmetic).holds()
