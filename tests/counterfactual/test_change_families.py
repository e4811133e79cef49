"""Which edit a change stands for: how natural it is decides how much it says about its statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.counterfactual.change_candidates import ChangeCandidates
from butfor.counterfactual.change_rules import Op
from butfor.counterfactual.comparison_relations import (
    EQ,
    EQUAL,
    GREATER,
    LESS,
    LT,
    WAS_FALSE,
    WAS_TRUE,
    comparison_changes,
)
from butfor.counterfactual.evidence_strength import FAMILY_WEIGHTS
from butfor.counterfactual.rerun import start_experiment
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.ir.change_sites import Site, SiteKind
from tests.small import case_of, recorded

PROGRAM = """
static int limits[2];
int main(void) {
    int flag = 1, sign = 1, seen = 0;
    limits[0] = 640;
    limits[1] = 1;
    if (flag)
        seen = 1;
    if (seen == 0)
        sign = 2;
    assert(limits[0] + limits[1] + sign == 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("operator", "relations", "families"),
    [
        (LT, LESS | WAS_TRUE, {"outcome"}),
        (LT, EQUAL | WAS_FALSE, {"boundary"}),
        (LT, LESS | GREATER | WAS_TRUE | WAS_FALSE, {"relation", "reversed", "force"}),
        (EQ, LESS | WAS_FALSE, {"reversed"}),
    ],
)
def test_one_relation_does_not_tell_a_reversed_comparison(operator: int, relations: int, families: set[str]) -> None:
    site = Site(1, "main", 0, SiteKind.COMPARE, bits=32, operator=operator)
    found = {change.family for change in comparison_changes(site, relations, is_truth=False)}
    assert found <= families
    assert families & {"outcome", "reversed", "boundary"} <= found


def test_an_outcome_alone_says_less_than_a_reversed_operator() -> None:
    assert FAMILY_WEIGHTS["outcome"] < FAMILY_WEIGHTS["reversed"]


def test_literals_are_mistyped_by_one_or_by_sign_and_only_where_they_are_written(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, PROGRAM))
    with start_experiment(case.recording, case.point, None, checked=False) as (build, running):
        seen = running.observe().observations
    candidates = ChangeCandidates(VariablesInScope(case.recording.program), seen)
    found = []
    for site in build.sites:
        place = case.places.of_instr(
            case.recording.program.function(site.function),
            case.recording.program.function(site.function).instrs[site.instr],
        )
        found += [(place.text if place else "", c.rule.op, c.family) for c in candidates.at(site)]
    assert ("limits[0] = 640;", Op.NEGATE, "near") in found
    assert ("limits[0] = 640;", Op.ADD, "literal") in found
    assert ("limits[1] = 1;", Op.NEGATE, "literal") in found
    assert {family for text, op, family in found if text == "flag" and op is Op.SHIFT} == {"near"}
    assert "literal" in {family for text, op, family in found if text == "seen == 0" and op is Op.SHIFT}
