"""Inductive sequences of invariants over a core trace, and the solver queries that check them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from butfor.logic.local_implication import surely_implies
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack, impossible_each
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, Term, conjunction, negate, variable, variables
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

    def until(self, limit: Limit) -> InterpolationQueries:
        """Queries with another limit, which know what a solver has answered already."""
        found = InterpolationQueries(limit)
        found._impossible = {terms: answer for terms, answer in self._impossible.items() if answer}
        return found

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

    def all_impossible(self, questions: Iterable[Term]) -> Iterator[bool]:
        """Whether each of some terms cannot hold, as a solver says.

        Terms that differ by their names only are asked once: rounds of a loop lead to the same questions.
        """
        named = [same_names((q,)) for q in questions]
        new = [n for n in dict.fromkeys(named) if n not in self._impossible]
        answers = zip(new, impossible_each([n[0] for n in new], self.limit, MAX_SECONDS_PER_QUERY), strict=True)
        for name in named:
            while name not in self._impossible:
                asked, answer = next(answers)
                self.asked += 1
                self._impossible[asked] = answer
            yield self._impossible[name]

    def _is_solved(self, terms: Sequence[Term]) -> bool:
        if self._few_terms is None:
            self._few_terms = default_stack()
        return self._is_unsat(self._few_terms, [tuple(terms)])

    def leads_to(self, core: CoreTrace, position: int, before: Sequence[Term], after: Sequence[Term]) -> bool:
        """Whether atoms before a step imply those after it; at the last position, whether they contradict the goal."""
        step = _Question.of(core, position, before, after)
        return step.is_surely_so or self.impossible(*step.against)

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

    Then each follows from everything before it and contradicts everything after it. A solver is asked about each
    position: together they are much harder.
    """
    return len(rows) == len(core) + 1 and all(queries.all_impossible(steps_against(core, rows)))


def steps_against(core: CoreTrace, rows: tuple[Atoms, ...]) -> list[Term]:
    """What cannot hold if rows are inductive: one term for the start, one for each step, and one for the goal."""
    found = [refutation((core.pre,), [[core.at(0, a) for a in rows[0]]])]
    for p, row in enumerate(rows):
        facts = [*(core.at(p, a) for a in row), *core.flag_definitions(p)]
        if p < len(core):
            facts += core.steps[p].terms
        wanted = [core.at(p + 1, a) for a in rows[p + 1]] if p < len(core) else [negate(core.check)]
        found.append(refutation(facts, [wanted]))
    return found


def refutation(facts: Sequence[Term], wanted: Sequence[Sequence[Term]]) -> Term:
    """What cannot hold if facts imply one of the wanted conjunctions: the negation, and the facts connected with it.

    Facts that share no variable with it, not even through others, are left out, so that equal questions are equal.
    """
    known = set(facts)
    open_parts = [[t for t in part if t not in known] for part in wanted]
    if not all(open_parts):
        return FALSE
    against = [negate(conjunction(part)) for part in open_parts]
    readers: dict[Term, list[Term]] = {}
    for fact in facts:
        for v in variables((fact,)):
            readers.setdefault(v, []).append(fact)
    kept: dict[Term, None] = {}
    work = list(variables(against))
    seen = set(work)
    while work:
        for fact in readers.get(work.pop(), ()):
            if fact not in kept:
                kept[fact] = None
                new = [v for v in variables((fact,)) if v not in seen]
                seen.update(new)
                work += new
    return conjunction((*kept, *against))


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
