"""Values that the solver proposes, and values that other tests bring: both are tried in runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import butfor
from butfor.counterfactual.change_candidates import ChangeCandidates
from butfor.counterfactual.change_rules import Op
from butfor.counterfactual.experiment import Trial
from butfor.counterfactual.rerun import recorded_spec, start_experiment
from butfor.counterfactual.run_goal import Goal
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.explanation import Evidence
from butfor.ir.change_sites import SiteKind
from butfor.methods.but_for.solver_values import solved_values
from tests.small import case_of, recorded, source, written

TAX = source(
    """
int main(void) {
    int base = 1200;
    int tax = base * 7 / 113;
    int total = base * 3 + tax;
    if (total > 5000)
        total = 5000;
    printf("total %d\\n", total);
    return 0;
}
"""
)


def test_the_solver_knows_what_should_have_been_assigned(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, TAX, expect_stdout="total 3817\n"))
    found = {place.text: value for place, value in solved_values(case.path, lambda: False)}
    assert found["int total = base * 3 + tax;"] == 3817
    assert found["int tax = base * 7 / 113;"] == 3817 - 3600


def test_its_values_are_confirmed_by_runs(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, TAX), expect_stdout="total 3817\n")
    rows = {row.text: row for row in answer.ranking}
    row = rows["int tax = base * 7 / 113;"]
    assert row.evidence is Evidence.REPLAYED
    assert row.extra["counterfactual"]["with"].endswith("set 217")
    assert "had `tax` been 217, the output would have been right" in row.reasons[-1].text


@pytest.mark.parametrize("wrong", ["x == 4", "x < 0"])
def test_an_assertion_has_a_value_too(tmp_path: Path, wrong: str) -> None:
    body = f"int main(void) {{ int x = 1000; int y = x * 3; x = y + 1; assert({wrong}); return 0; }}"
    values = dict(solved_values(case_of(recorded(tmp_path, body)).path, lambda: False))
    (value,) = [v for place, v in values.items() if place.text == "x = y + 1;"]
    assert value == 4 if wrong == "x == 4" else value < 0


def test_nothing_is_proposed_when_the_time_is_over(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, TAX, expect_stdout="total 3817\n"))
    assert list(solved_values(case.path, lambda: True)) == []


def test_values_of_other_tests_are_tried(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int step = atoi(argv[1]) * 91;
    printf("%d\\n", step);
    return 0;
}
"""
    case = case_of(recorded(tmp_path, body, args=["4"], expect_stdout="273\n"))
    with start_experiment(case.recording, case.point, None, checked=False) as (build, running):
        seen = running.observe().observations
        other = Trial(replace(recorded_spec(case.recording), args=("3",)), Goal(b"273\n", True, 0), False)
        values = running.values_in_tests([other], lambda: False)
    (site,) = [s for s in build.sites if s.kind is SiteKind.STORE]
    assert 273 in values[site.number]
    tried = {
        c.rule.a
        for c in ChangeCandidates(VariablesInScope(case.recording.program), seen, values).at(site)
        if c.rule.op is Op.SET
    }
    assert 273 in tried
    assert 273 not in {
        c.rule.a
        for c in ChangeCandidates(VariablesInScope(case.recording.program), seen).at(site)
        if c.rule.op is Op.SET
    }
