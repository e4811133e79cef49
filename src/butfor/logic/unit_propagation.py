"""What follows from equations by folding constants alone: a cheap answer before a solver is asked."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.logic.rules import is_literal
from butfor.logic.simplify import FOLDING
from butfor.logic.solvers.solver import Name, Problem
from butfor.logic.substitute import substitute
from butfor.logic.terms import FALSE, TRUE, Term, constant, variables


def refutes(problem: Problem[Name]) -> bool:
    """Whether constants alone show that the goal cannot hold; False says nothing."""
    known = propagated(term for _, terms in problem.groups for term in terms)
    return known is not None and substitute(problem.goal, known, FOLDING) is FALSE


def propagated(terms: Iterable[Term]) -> dict[str, Term] | None:
    """The variables to which the terms give constant values, one after the other; None if they contradict that."""
    known: dict[str, Term] = {}
    waiting: dict[str, list[Term]] = {}  # terms that became no fact yet, by the variables that they wait for
    work = list(terms)[::-1]
    while work:
        term = substitute(work.pop(), known, FOLDING)
        if term is FALSE:
            return None
        facts = term.args if term.op == "all" else (term,)
        for fact in facts:
            learned = _assignment(fact)
            if learned is not None:
                name, value = learned
                if known.setdefault(name, value) is not value:
                    return None
                work += waiting.pop(name, ())
            elif fact is not TRUE:
                for v in variables((fact,)):
                    waiting.setdefault(str(v.data), []).append(fact)
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
