"""The order in which changes are tried."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from butfor.counterfactual.change_candidates import ChangeCandidate, ChangeCandidates
from butfor.counterfactual.rerun import start_experiment
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.ir.change_sites import Site
from butfor.methods.but_for import candidate_order
from butfor.methods.but_for.candidate_order import DISTANCE_PER_STAGE, FAR_DISTANCE, CandidatesInOrder, place_of
from butfor.methods.case import FailingRun
from tests.small import case_of, recorded

PROGRAM = """
static int scale = 3;
static int scaled(int x) { return x * scale; }
int main(void) {
    int sum = 0, unused = 5;
    for (int i = 0; i < 4; i++)
        if (i != 2)
            sum += scaled(i);
    unused++;
    assert(sum == 18);
    return 0;
}
"""


def observed(tmp_path: Path) -> tuple[FailingRun, list[Site], ChangeCandidates]:
    case = case_of(recorded(tmp_path, PROGRAM))
    with start_experiment(case.recording, case.point, None, checked=False) as (build, running):
        seen = running.observe().observations
    sites = [site for site in build.sites if seen["count"][site.number]]
    return case, sites, ChangeCandidates(VariablesInScope(case.recording.program), seen)


def test_natural_edits_near_the_failure_are_first_and_none_is_left_out(tmp_path: Path) -> None:
    case, sites, candidates = observed(tmp_path)
    ordered = CandidatesInOrder(case, sites, candidates.at)
    found = list(ordered.in_turn(initial=True))
    known = candidate_order._distances(case)

    def turn(c: ChangeCandidate) -> float:
        distance = known.get((c.site.function, c.site.instr), FAR_DISTANCE)
        return c.stage + min(distance, FAR_DISTANCE) / DISTANCE_PER_STAGE

    at_sites = [turn(c) for c in found if c.site in sites and c.family not in ("named", "keep")]
    assert at_sites == sorted(at_sites)
    places = ((site, place_of(case, site)) for site in sites)
    changeable = [site for site, place in places if place is not None and case.may_be_changed(place)]
    assert {c.rule for c in found} >= {c.rule for s in changeable for c in candidates.at(s) if c.family == "literal"}
    assert len(ordered) == len(found) == len(ordered.places)
    assert any(c.site not in sites for c in found)  # the initial value of `scale`


def test_far_sites_are_not_looked_at_before_their_turn(tmp_path: Path) -> None:
    case, sites, candidates = observed(tmp_path)
    looked_at: list[Site] = []

    def at(site: Site) -> list[ChangeCandidate]:
        looked_at.append(site)
        return list(candidates.at(site))

    ordered = CandidatesInOrder(case, sites, lambda site: iter(at(site)))
    first = list(islice(ordered.in_turn(initial=False), 3))
    assert 0 < len(looked_at) < len(sites)
    whole = CandidatesInOrder(case, sites, candidates.at).in_turn(initial=False)
    assert [c.rule for c in first] == [c.rule for c in islice(whole, 3)]
