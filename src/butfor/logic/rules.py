"""Rewrite rules of the simplifier: sets of rules by operation, and how operations move into choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import is_map
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, constant, disjunction, ite, negate, rebuild

Operands = tuple[Term, ...]
Rule = Callable[[Term, Operands], Term]
"""The term with these operands, which are simple, written shorter."""


def is_literal(term: Term) -> bool:
    """Whether a term is a value; maps, which are written as terms, are none."""
    return not term.args and term.op != "var"


@dataclass(frozen=True, slots=True)
class Rules:
    """A set of rules. An operation on literals is always computed; on unbounded numbers only if `folds_numbers`."""

    by_operation: Mapping[str, Rule]
    folds_numbers: bool = True

    def __call__(self, term: Term, operands: Operands) -> Term:
        """The term with these operands, which are simple, simplified."""
        for a in operands:
            if a.args or a.op == "var" or (a.op == "number" and not self.folds_numbers):
                break
        else:
            if operands and not is_map(term.width):
                return computed(rebuild(term, operands))
        rule = self.by_operation.get(term.op)
        return rebuild(term, operands) if rule is None else rule(term, operands)


def computed(term: Term) -> Term:
    """The value of a term without variables, as a literal."""
    return constant(Evaluator({})(term), term.width)


def choose(condition: Term, x: Term, y: Term) -> Term:
    """x if the condition holds, else y; between booleans with as few connectives as it takes."""
    if condition is TRUE or condition is FALSE:
        return x if condition is TRUE else y
    if x.width or x is y:
        return ite(condition, x, y)
    if x is TRUE:
        return condition if y is FALSE else disjunction((condition, y))
    if y is TRUE:
        return negate(condition) if x is FALSE else disjunction((negate(condition), x))
    if x is FALSE:
        return conjunction((negate(condition), y))
    if y is FALSE:
        return conjunction((condition, x))
    return conjunction((disjunction((negate(condition), x)), disjunction((condition, y))))


@dataclass(frozen=True, slots=True)
class Choices:
    """The nested choices between constants that operations move into: up to a depth, nested in one arm or in both."""

    depth: int
    only_chains: bool = False

    def cover(self, t: Term, depth: int = 0) -> bool:
        """Whether the term is such a choice."""
        if t.op != "ite":
            return t.op == "const"
        return (
            depth < self.depth
            and (t.args[1].op == "const" if self.only_chains else self.cover(t.args[1], depth + 1))
            and self.cover(t.args[2], depth + 1)
        )


def each_choice(t: Term, of_constant: Callable[[Term], Term]) -> Term:
    """The choice with each constant replaced by what the function makes of it."""
    if t.op == "const":
        return of_constant(t)
    return choose(t.args[0], each_choice(t.args[1], of_constant), each_choice(t.args[2], of_constant))
