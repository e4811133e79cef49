"""What follows from equations by folding constants alone: a cheap answer before a solver is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from butfor.logic.rules import is_literal
from butfor.logic.simplify import FOLDING
from butfor.logic.solvers.solver import Limit, Name, Problem
from butfor.logic.substitute import Build, substitute
from butfor.logic.terms import FALSE, TRUE, Term, constant, variables

_STEPS_PER_CLOCK_CHECK = 16  # a step goes through one term


def refutes(problem: Problem[Name], limit: Limit | None = None) -> bool:
    """Whether constants alone show that the goal cannot hold; False says nothing."""
    known = propagated((term for _, terms in problem.groups for term in terms), limit)
    return known is not None and substitute(problem.goal, known, FOLDING) is FALSE


def propagated(terms: Iterable[Term], limit: Limit | None = None) -> dict[str, Term] | None:
    """The variables to which the terms give constant values, one after the other; None if they contradict that.

    Those that were found when the limit was reached, which is enough for whoever asks what follows.
    """
    propagation = Propagation()
    propagation.add(terms, 0, limit)
    return None if propagation.is_contradiction else propagation.known


class Propagation:
    """Constant values of variables that follow from groups of terms, which are added one after the other.

    `since` says of each variable that is known with which group it became so, `reasons` which group gave its value,
    and which variables that group mentions. `conflict` is the same of a contradiction.
    """

    def __init__(self, build: Build = FOLDING) -> None:
        self.build = build
        self.known: dict[str, Term] = {}
        self.since: dict[str, int] = {}
        self.reasons: dict[str, tuple[int, tuple[Term, ...]]] = {}
        self.conflict: tuple[int, tuple[Term, ...]] | None = None
        self._waiting: list[Term] = []  # each with what is known put in, as far as it was looked at
        self._origins: list[tuple[int, Term]] = []  # of each of them: its group, and how it was given
        self._for_name: dict[str, list[int]] = {}  # the places of terms that became no fact yet, by their variables
        self._listed: set[int] = set()  # the places that are in there

    def add(self, terms: Iterable[Term], group: int, limit: Limit | None = None) -> None:
        """Add the terms of a group with a higher number than those before it."""
        first = len(self._waiting)
        for term in terms:
            self._wait(term, (group, term))
        work = list(range(first, len(self._waiting)))[::-1]
        steps = 0
        while work:
            steps += 1
            if limit is not None and steps % _STEPS_PER_CLOCK_CHECK == 0 and not limit.left:
                return
            place = work.pop()
            if self._waiting[place] is TRUE:
                continue
            term = substitute(self._waiting[place], self.known, self.build)
            if term is FALSE:
                self.conflict = self._reason(place)
                return
            self._waiting[place] = TRUE
            for fact in term.args if term.op == "all" else (term,):
                learned = _assignment(fact)
                if learned is not None:
                    name, value = learned
                    if self.known.setdefault(name, value) is not value:
                        self.conflict = self._reason(place)
                        return
                    if name not in self.since:
                        self.since[name], self.reasons[name] = group, self._reason(place)
                    work += self._for_name.pop(name, ())
                elif fact is term and place in self._listed:
                    self._waiting[place] = fact  # the variables that are left lead to it already
                elif fact is not TRUE:
                    self._listed.add(len(self._waiting))
                    for v in variables((fact,)):
                        self._for_name.setdefault(str(v.data), []).append(len(self._waiting))
                    self._wait(fact, self._origins[place])

    def _wait(self, term: Term, origin: tuple[int, Term]) -> None:
        self._waiting.append(term)
        self._origins.append(origin)

    def _reason(self, place: int) -> tuple[int, tuple[Term, ...]]:
        group, given = self._origins[place]
        return group, variables((given,))

    @property
    def is_contradiction(self) -> bool:
        """Whether the groups contradict each other."""
        return self.conflict is not None

    def after(self, group: int) -> Callable[[str], Term | None]:
        """The values that follow from the groups up to that one."""
        return lambda name: self.known[name] if self.since.get(name, group + 1) <= group else None

    def groups_in_conflict(self) -> set[int]:
        """Groups that contradict each other; none where no contradiction was found."""
        if self.conflict is None:
            return set()
        found: set[int] = set()
        seen: set[str] = set()
        work = [self.conflict]
        while work:
            group, used = work.pop()
            found.add(group)
            new = {str(v.data) for v in used} - seen
            seen |= new
            work += (self.reasons[name] for name in new if name in self.reasons)
        return found


def _assignment(fact: Term) -> tuple[str, Term] | None:
    """The variable and its value, if the fact is nothing but that."""
    if fact.op == "var":
        return str(fact.data), constant(1, 0)
    if fact.op == "not" and fact.args[0].op == "var":
        return str(fact.args[0].data), constant(0, 0)
    if fact.op == "eq":
        for x, y in (fact.args, fact.args[::-1]):
            if x.op == "var" and is_literal(y):
                return str(x.data), y
    return None
