"""Inductive sequences of invariants over a core trace, and the solver queries that check them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butfor.logic.local_implication import surely_implies
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.substitute import Substitution
from butfor.logic.terms import Term, conjunction, negate, variable, variables
from butfor.methods.error_invariants.core_trace import CoreTrace

MAX_SECONDS_PER_QUERY = 2.0  # an invariant that takes longer to check is given up; simpler ones are at hand

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
        self._impossible: dict[Atoms, bool] = {}  # what was asked: rounds of a loop lead to the same questions
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
        if self.is_over:
            return False
        same = same_names(terms)
        if same not in self._impossible:
            self._impossible[same] = self._is_solved(same)
        return self._impossible[same]

    def _is_solved(self, terms: Sequence[Term]) -> bool:
        if self._few_terms is None:
            self._few_terms = default_stack()
        return self._is_unsat(self._few_terms, [tuple(terms)])

    def leads_to(self, core: CoreTrace, position: int, before: Sequence[Term], after: Sequence[Term]) -> bool:
        """Whether atoms before a step imply those after it; at the last position, whether they contradict the goal."""
        step = _Question.of(core, position, before, after)
        return step.is_surely_so or self.impossible(*step.against)

    def all_lead_on(self, core: CoreTrace, rows: Sequence[Atoms]) -> bool:
        """Whether the atoms at each position imply those at the next, and the last ones contradict the goal.

        Where substitution does not show it, a solver is asked about each position: together they are much harder. Those
        that differ by their names only are one question.
        """
        following = (*rows[1:], ())
        steps = (_Question.of(core, p, rows[p], following[p]) for p in range(len(core) + 1))
        return all(step.is_surely_so or self.impossible(*step.against) for step in steps)

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

    def implies(self, core: CoreTrace, position: int, some: Atoms, others: Atoms, *, surely: bool = False) -> bool:
        """Whether atoms at a position imply others there. `surely`: as far as substitution shows it."""
        facts = (*(core.at(position, a) for a in some), *core.flag_definitions(position))
        question = _Question(facts, tuple(core.at(position, a) for a in others))
        return question.is_surely_so if surely else self.impossible(*question.against)


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


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether facts imply what is wanted."""

    facts: tuple[Term, ...]
    wanted: tuple[Term, ...]

    @staticmethod
    def of(core: CoreTrace, position: int, before: Sequence[Term], after: Sequence[Term]) -> _Question:
        """Whether atoms before a step imply those after it; behind the last one, whether they contradict the goal."""
        known = tuple(core.at(position, a) for a in before)
        if position == len(core):
            return _Question((*known, *core.flag_definitions(position)), (negate(core.check),))
        new = tuple(a for a in (core.at(position + 1, a) for a in after) if a not in known)
        return _Question((*known, *core.flag_definitions(position), *core.steps[position].terms), new)

    @property
    def is_surely_so(self) -> bool:
        """Whether substitution shows it."""
        return not self.wanted or surely_implies(self.facts, self.wanted)

    @property
    def against(self) -> tuple[Term, ...]:
        """What holds if it is not so."""
        return *self.facts, negate(conjunction(self.wanted))


def same_names(terms: Sequence[Term]) -> Atoms:
    """Terms with their variables named in the order in which they stand, so that equal questions are equal terms."""
    names = {str(v.data): variable(f"{k}:{v.width}", v.width) for k, v in enumerate(variables(terms))}
    put = Substitution(names)
    return tuple(map(put, terms))
