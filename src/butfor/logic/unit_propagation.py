"""What follows from equations by folding constants alone: a cheap answer before a solver is asked."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.logic.rules import is_literal
from butfor.logic.simplify import FOLDING
from butfor.logic.solvers.solver import Limit, Name, Problem
from butfor.logic.substitute import substitute
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
    known: dict[str, Term] = {}
    waiting: list[Term] = list(terms)  # each with what is known put in, as far as it was looked at
    for_name: dict[str, list[int]] = {}  # the places of terms that became no fact yet, by the variables in them
    listed: set[int] = set()  # the places that are in there
    work = list(range(len(waiting)))[::-1]
    steps = 0
    while work:
        steps += 1
        if limit is not None and steps % _STEPS_PER_CLOCK_CHECK == 0 and not limit.left:
            return known
        place = work.pop()
        if waiting[place] is TRUE:
            continue
        term = substitute(waiting[place], known, FOLDING)
        if term is FALSE:
            return None
        waiting[place] = TRUE
        for fact in term.args if term.op == "all" else (term,):
            learned = _assignment(fact)
            if learned is not None:
                name, value = learned
                if known.setdefault(name, value) is not value:
                    return None
                work += for_name.pop(name, ())
            elif fact is term and place in listed:
                waiting[place] = fact  # the variables that are left lead to it already
            elif fact is not TRUE:
                waiting.append(fact)
                listed.add(len(waiting) - 1)
                for v in variables((fact,)):
                    for_name.setdefault(str(v.data), []).append(len(waiting) - 1)
    return known


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
