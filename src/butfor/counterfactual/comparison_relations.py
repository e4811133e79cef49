"""Comparisons decided differently for some relations of their sides, as other operators would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from butfor.counterfactual.change_rules import Op, Rule
from butfor.ir.change_sites import Site

LESS, EQUAL, GREATER, WAS_FALSE, WAS_TRUE = 1, 2, 4, 8, 16  # `relations` of struct seen in hooks.h
EQ, NE, LT, LE, GT, GE = range(6)
TRUE_FOR = {EQ: EQUAL, NE: LESS | GREATER, LT: LESS, LE: LESS | EQUAL, GT: GREATER, GE: EQUAL | GREATER}
OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
_FLIPS = {EQUAL: Op.FLIP_EQUAL, LESS: Op.FLIP_LESS, GREATER: Op.FLIP_GREATER}
_BOUNDARY = {LT: (LE,), LE: (LT,), GT: (GE,), GE: (GT,), EQ: (), NE: ()}
_REVERSED = {LT: (GT, GE), LE: (GE, GT), GT: (LT, LE), GE: (LE, LT), EQ: (NE,), NE: (EQ,)}


@dataclass(frozen=True, slots=True)
class ComparisonChange:
    """A rule for a comparison."""

    family: str  # of the edit
    rule: Rule
    operator: int | None  # the operator that would do the same
    is_total: bool  # every outcome changes


def comparison_changes(site: Site, relations: int, *, is_truth: bool) -> Iterator[ComparisonChange]:
    """All other ways to decide the relations that occurred, each with its family: boundary, reversed, relation, force.

    Where only one relation occurred, an operator that points the other way is of the family outcome: every run in which
    the comparison should have gone otherwise has one, whatever is wrong with it.

    `is_truth`: the condition may be a value that is only compared with zero, so that there is no operator to edit, only
    a negation.
    """
    met = [bit for bit in (EQUAL, LESS, GREATER) if relations & bit]
    for count in range(1, len(met) + 1):
        for chosen in combinations(met, count):
            flipped = sum(chosen)
            family, operator = comparison_edit(site.operator, flipped, sum(met))
            if family == "reversed" and len(met) == 1 and site.operator not in (EQ, NE):
                family = "outcome"
            if count == len(met) and count > 1:
                rule = Rule(site.number, Op.FLIP)
            elif count == 1:
                rule = Rule(site.number, _FLIPS[flipped])
            elif operator is None:
                rule = Rule(site.number, Op.TRUE if (TRUE_FOR[site.operator] ^ flipped) & sum(met) else Op.FALSE)
            else:
                rule = Rule(site.number, Op.RELATION, operator)
            yield ComparisonChange(
                "truth" if is_truth else family, rule, None if is_truth else operator, count == len(met)
            )


def operator_rule(site: Site, rule: Rule, operator: int | None) -> Rule | None:
    """The rule for the operator itself, if a rule only flips the one relation that occurred; else None."""
    flipped = next((bit for bit, op in _FLIPS.items() if op is rule.op), 0)
    if not flipped or operator is None or TRUE_FOR[site.operator] ^ flipped == TRUE_FOR[operator]:
        return None
    return Rule(rule.site, Op.RELATION, operator)


def comparison_edit(operator: int, flipped: int, met: int = LESS | EQUAL | GREATER) -> tuple[str, int | None]:
    """The family of the edit that flips a comparison for some relations, and the operator that does so."""
    wanted = (TRUE_FOR[operator] ^ flipped) & met
    for family, choices in (
        ("boundary", _BOUNDARY[operator]),
        ("reversed", _REVERSED[operator]),
        ("relation", (LT, LE, GT, GE, EQ, NE)),
    ):
        for other in choices:
            if TRUE_FOR[other] & met == wanted:
                return family, other
    return "force", None
