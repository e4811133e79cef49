"""Inductive sequences of invariants over a core trace, and the solver queries that check them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.terms import Term, conjunction, disjunction, negate
from butfor.methods.error_invariants.core_trace import CoreTrace

MAX_SECONDS_PER_QUERY = 2.0  # an invariant that takes longer to check is given up; simpler ones are at hand

POSITIONS_PER_QUERY = 32  # a query takes about as long for one position as for some

Atoms = tuple[Term, ...]
"""The conjuncts of one invariant."""


@dataclass(frozen=True, slots=True)
class InvariantSequence:
    """The invariant at each position of a core trace.

    `coarse`: the time was over, so recorded values stand where more general atoms might.
    """

    atoms: tuple[Atoms, ...]
    engine: str
    coarse: bool = False


class InterpolationQueries:
    """Queries that share one time limit; an answer that does not come in time counts as no."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.asked = 0
        self._few_terms: Stack | None = None
        self._prefixes: Stack | None = None
        self._suffixes: Stack | None = None

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return self.limit.left <= 0.0

    def _is_unsat(self, stack: Stack, layers: Sequence[tuple[Term, ...]]) -> bool:
        if self.is_over:
            return False
        self.asked += 1
        limit = Limit.after(min(MAX_SECONDS_PER_QUERY, self.limit.left), self.limit.is_cancelled)
        return stack.check(layers, limit).verdict is Verdict.UNSAT

    def impossible(self, *terms: Term) -> bool:
        """Whether these few terms cannot hold together."""
        if self._few_terms is None:
            self._few_terms = default_stack()
        return self._is_unsat(self._few_terms, [tuple(terms)])

    def leads_to(self, core: CoreTrace, position: int, before: Sequence[Term], after: Sequence[Term]) -> bool:
        """Whether atoms before a step imply those after it; at the last position, whether they contradict the goal."""
        return self.impossible(*_against(core, position, before, after))

    def all_lead_on(self, core: CoreTrace, rows: Sequence[Atoms]) -> bool:
        """Whether the atoms at each position imply those at the next, and the last ones contradict the goal.

        A few positions are asked about at once: is there one of them where that is not so?
        """
        following = (*rows[1:], ())
        against = [conjunction(_against(core, p, rows[p], following[p])) for p in range(len(core) + 1)]
        chunks = range(0, len(against), POSITIONS_PER_QUERY)
        return all(self.impossible(disjunction(against[k : k + POSITIONS_PER_QUERY])) for k in chunks)

    def follows(self, core: CoreTrace, position: int, atom: Term) -> bool:
        """Whether everything before a position implies an atom."""
        if self._prefixes is None:
            self._prefixes = default_stack()
        return self._is_unsat(self._prefixes, [*core.prefix(position), (negate(core.at(position, atom)),)])

    def contradicts(self, core: CoreTrace, position: int, atom: Term) -> bool:
        """Whether an atom contradicts everything after a position."""
        if self._suffixes is None:
            self._suffixes = default_stack()
        return self._is_unsat(self._suffixes, [*core.suffix(position), (core.at(position, atom),)])

    def is_error_invariant(self, core: CoreTrace, position: int, atoms: Atoms) -> bool:
        """Whether a conjunction of atoms passes both checks of the definition."""
        whole = conjunction(atoms)
        return self.follows(core, position, whole) and self.contradicts(core, position, whole)


def is_inductive(core: CoreTrace, rows: tuple[Atoms, ...], queries: InterpolationQueries) -> bool:
    """Whether the start implies the first invariant, each the next over its step, and the last contradicts the goal.

    Then each follows from everything before it and contradicts everything after it.
    """
    if len(rows) != len(core) + 1:
        return False
    first = conjunction(core.at(0, a) for a in rows[0])
    if not queries.impossible(core.pre, negate(first)):
        return False
    return queries.all_lead_on(core, rows)


def _against(core: CoreTrace, position: int, before: Sequence[Term], after: Sequence[Term]) -> tuple[Term, ...]:
    """What holds if atoms before a step do not imply those after it; behind the last one, if the goal can hold."""
    known = (*(core.at(position, a) for a in before), *core.flag_definitions(position))
    if position == len(core):
        return *known, core.check
    return *known, *core.steps[position].terms, negate(conjunction(core.at(position + 1, a) for a in after))
