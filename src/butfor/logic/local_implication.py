"""Implications between a few facts that need no solver: constants are folded, and defined variables replaced.

This decides most questions about one step of a path, where nearly all that holds is `x == 7`, `y == x + 1` or a
condition that is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from butfor.logic.simplify import FOLDING
from butfor.logic.substitute import Build, Substitution
from butfor.logic.terms import FALSE, TRUE, Term, variables
from butfor.logic.unit_propagation import Propagation


def surely_implies(facts: Sequence[Term], wanted: Sequence[Term]) -> bool:
    """Whether facts imply all of the wanted terms, as far as substitution shows it; False says nothing."""
    constants = Propagation()
    constants.add(facts, 0)
    if constants.is_contradiction:
        return True
    fold = Substitution(constants.known, FOLDING)
    open_wanted = [w for w in map(fold, wanted) if w is not TRUE]
    if not open_wanted:
        return True
    open_facts = [f for f in map(fold, facts) if f is not TRUE]
    build = _with_truths(f for f in open_facts if not _may_define(f))
    more = Propagation(build)
    more.add(filter(_may_define, open_facts), 0)
    if more.is_contradiction:
        return True
    fold = Substitution(more.known, build)
    definitions = Substitution(_definitions(fold(f) for f in open_facts if _may_define(f)), build)
    return all(fold(definitions(w)) is TRUE for w in open_wanted)


def _may_define(fact: Term) -> bool:
    """Whether a fact is an equation of a variable, under a condition or not."""
    last = fact.args[-1] if fact.op == "any" and fact.args else fact
    return last.op == "eq" and any(a.op == "var" for a in last.args)


def _with_truths(facts: Iterable[Term]) -> Build:
    """What builds terms folded, with TRUE in the place of facts, and FALSE in that of what they negate."""
    truths: dict[Term, Term] = {}
    for fact in facts:
        inner, value = (fact.args[0], FALSE) if fact.op == "not" else (fact, TRUE)
        truths[inner] = value

    def build(term: Term, operands: tuple[Term, ...]) -> Term:
        built = FOLDING(term, operands)
        return truths.get(built, built)

    return build


def _definitions(facts: Iterable[Term]) -> dict[str, Term]:
    """The variables that facts equate with terms in which no such variable occurs."""
    found: dict[str, Term] = {}
    used: set[str] = set()
    for fact in facts:
        if fact.op != "eq" or fact.args[0].op != "var":
            continue
        name, value = str(fact.args[0].data), fact.args[1]
        inside = {str(v.data) for v in variables((value,))}
        if name not in inside and name not in used and name not in found and not inside & found.keys():
            found[name] = value
            used |= inside
    return found
