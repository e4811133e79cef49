"""The last word on a story: whether a solver agrees with each invariant at each position of its interval.

What the search for invariants was content with (folded constants, computed values) does not count here. The invariants
of an interval need not be inductive by themselves: they may follow from those that stand at each position, which are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import and_

from butfor.logic.solvers import Limit
from butfor.logic.terms import Term, conjunction, negate
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.inductive_sequence import (
    Atoms,
    InterpolationQueries,
    refutation,
    steps_against,
)
from butfor.methods.error_invariants.invariant_intervals import InvariantInterval


def intervals_agreed(
    core: CoreTrace,
    rows: tuple[Atoms, ...],
    intervals: Sequence[InvariantInterval],
    queries: InterpolationQueries,
    limit: Limit,
) -> tuple[bool, ...]:
    """Whether a solver agrees, for each interval, that its invariant is one at each of its positions."""
    check = _Check(core, rows, queries.until(limit))
    return tuple(map(check.holds, intervals))


class _Check:
    def __init__(self, core: CoreTrace, rows: tuple[Atoms, ...], queries: InterpolationQueries) -> None:
        self.core = core
        self.rows = rows
        self.queries = queries
        steps = list(queries.all_impossible(steps_against(core, rows)))
        self._rows_follow = list(accumulate(steps[:-1], and_))
        self._rows_fail = list(accumulate(reversed(steps[1:]), and_))[::-1]

    def holds(self, interval: InvariantInterval) -> bool:
        """Whether the invariant of an interval follows from what precedes, and contradicts what comes after it."""
        positions = range(interval.first, interval.last + 1)
        others = [p for p in positions if self.rows[p] != interval.atoms]
        before = dict(zip(others, self.queries.all_impossible(self._before(interval, p) for p in others), strict=True))
        after = dict(zip(others, self.queries.all_impossible(self._after(interval, p) for p in others), strict=True))
        return self._follows(interval, before) and self._fails(interval, after)

    def _follows(self, interval: InvariantInterval, before: dict[int, bool]) -> bool:
        for p in range(interval.first, interval.last + 1):
            is_local = self._rows_follow[p] and before.get(p, True)
            if not is_local and not self.queries.follows(self.core, p, conjunction(interval.atoms)):
                return False
        return True

    def _fails(self, interval: InvariantInterval, after: dict[int, bool]) -> bool:
        for p in range(interval.first, interval.last + 1):
            is_local = self._rows_fail[p] and after.get(p, True)
            if not is_local and not self.queries.contradicts(self.core, p, conjunction(interval.atoms)):
                return False
        return True

    def _before(self, interval: InvariantInterval, p: int) -> Term:
        """What cannot hold if an invariant follows at a position: from the row there, or over the step before it."""
        core = self.core
        facts = [*self._at(p, self.rows[p]), *core.flag_definitions(p)]
        if p > interval.first:
            facts += [*self._at(p - 1, self.rows[p - 1]), *self._at(p - 1, interval.atoms)]
            facts += [*core.flag_definitions(p - 1), *core.steps[p - 1].terms]
        return refutation(facts, [self._at(p, interval.atoms)])

    def _after(self, interval: InvariantInterval, p: int) -> Term:
        """What cannot hold if an invariant leads to the failure: with the row there, or over the step behind it."""
        core = self.core
        facts = [*self._at(p, interval.atoms), *core.flag_definitions(p)]
        enough = [self._at(p, self.rows[p])]
        if p == len(core):
            enough.append([negate(core.check)])
        else:
            facts += core.steps[p].terms
            if set(facts).issuperset(core.flag_definitions(p + 1)):
                enough.append(self._at(p + 1, self.rows[p + 1]))
                enough += [self._at(p + 1, interval.atoms)] if p < interval.last else []
        return refutation(facts, enough)

    def _at(self, p: int, atoms: Atoms) -> list[Term]:
        return [self.core.at(p, a) for a in atoms]
