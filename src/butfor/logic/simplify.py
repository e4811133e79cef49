"""The simplifier of terms: rewrite rules by operation, in named sets.

All sets preserve the value of a term. They differ because the answers of solvers (models, cores, interpolants) depend
on how a formula is written, and because each consumer reads other terms: a search through Boogie programs only needs
to know decisions that are constant, the condition of a lifted branch is shown to people, an invariant is made of atoms.
"""

from __future__ import annotations

from collections.abc import Mapping

from butfor.logic.bit_vector_rules import BIT_VECTOR_RULES
from butfor.logic.rules import Operands, Rule, Rules, is_literal
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, disjunction, equal, ite, negate, select


class Simplifier(Substitution):
    """Simplifies whole terms by one set of rules; what was done is remembered."""

    def __init__(self, rules: Rules) -> None:
        super().__init__({}, rules)


def _all(term: Term, operands: Operands) -> Term:
    return FALSE if FALSE in operands else conjunction(operands)


def _any(term: Term, operands: Operands) -> Term:
    return TRUE if TRUE in operands else disjunction(operands)


def _flat_all(term: Term, operands: Operands) -> Term:
    flat = [b for a in operands for b in (a.args if a.op == "all" else (a,))]
    return FALSE if FALSE in flat else conjunction(flat)


def _flat_any(term: Term, operands: Operands) -> Term:
    flat = [b for a in operands for b in (a.args if a.op == "any" else (a,))]
    return TRUE if TRUE in flat else disjunction(flat)


def _not(term: Term, operands: Operands) -> Term:
    return negate(operands[0])


def _inner_not(term: Term, operands: Operands) -> Term:
    """De Morgan's laws: the negation of a connective becomes a connective of negations."""
    a = operands[0]
    if a.op in ("all", "any"):
        return (disjunction if a.op == "all" else conjunction)(map(negate, a.args))
    return negate(a)


def _ite(term: Term, operands: Operands) -> Term:
    condition, x, y = operands
    return x if condition is TRUE else y if condition is FALSE else ite(condition, x, y)


def _identity(term: Term, operands: Operands) -> Term:
    return equal(*operands)


def _element(term: Term, operands: Operands) -> Term:
    """An element of a map, past the elements that are surely others."""
    m, index = operands
    while m.op == "store":
        if m.args[1] is index:
            return m.args[2]
        if not (is_literal(m.args[1]) and is_literal(index)):
            return select(m, index)
        m = m.args[0]
    return m.args[0] if m.op == "everywhere" else select(m, index)


_FLAT: Mapping[str, Rule] = {"all": _flat_all, "any": _flat_any, "ite": _ite}

FOLDING = Rules({"all": _all, "any": _any, "not": _not, "ite": _ite, "eq": _identity, "select": _element})
"""Computes what is constant and keeps the shape of the rest: for searches whose solver sees the program as written."""

ALGEBRA = Rules({**_FLAT, **BIT_VECTOR_RULES, "not": _not, "select": _element})
"""Shortens constants, connectives, bit-vectors and maps: for paths that are executed with other values."""

NORMAL_FORM = Rules({**_FLAT, **BIT_VECTOR_RULES, "not": _inner_not}, folds_numbers=False)
"""Shortens connectives and bit-vectors and moves negations inwards to the atoms: for what people read.

Unbounded numbers stay as they are: an atom over them that is true for the recorded values is still worth showing.
"""
