"""Findings from edits: the statements at which an edit avoids the failure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from butfor.counterfactual.evidence_strength import AVOIDS, BREAKS, COMPLETE, score_of_log_odds
from butfor.explanation import Also, Evidence
from butfor.methods.repair.repair_model import Repair, best_by_statement
from butfor.ranking.finding import Finding
from butfor.trace.view.source_places import Place

# Log-odds, like those of changed runs in counterfactual/evidence_strength.py, and fitted with them.
_BASE = 3.5
_PER_WEIGHT, _USUAL_WEIGHT = 0.08, 12.0  # for each point of the weight of an edit above the usual
_DIFFERS = -1.6  # the behaviour changes on all similar inputs
_UNKNOWN_SHARE = 0.5  # of similar inputs on which the behaviour changes, when none was tried
_SKIPS = -1.0  # it leaves something out
_OTHER_OUTPUT = -0.5  # what was written before the failure would differ
_RIVALS, _USUAL_RIVALS = -0.7, 3  # for each e-fold more statements at which an edit helps than usual


def repair_findings(survivors: Sequence[Repair], *, gives_output: bool) -> tuple[Finding, ...]:
    """The statements at which an edit helps, the most telling first; `gives_output`: it gives the expected output."""
    best: Mapping[Place, Repair] = best_by_statement(sorted(survivors, key=lambda r: r.key))
    crowd = _RIVALS * math.log(max(len(best), 1) / _USUAL_RIVALS)
    found = (
        Finding(
            place,
            round(score_of_log_odds(edit_strength(r) + crowd), 4),
            _words(r, "the output would have been right" if gives_output else "the run would not have failed"),
            Evidence.REPLAYED,
            also=tuple(_also_beside(r, survivors)),
        )
        for place, r in best.items()
    )
    return tuple(sorted(found, key=lambda f: (-f.score, f.place.file, f.place.line, f.place.column)))


def edit_strength(r: Repair) -> float:
    """The log-odds that one edit gives to its statement."""
    p, t = r.proposal, r.tally
    total = (
        _BASE
        + _PER_WEIGHT * (p.weight - _USUAL_WEIGHT)
        + _DIFFERS * (t.differs / t.similar if t.similar else _UNKNOWN_SHARE)
    )
    total += _SKIPS * p.skips + _OTHER_OUTPUT * (not t.keeps_output)
    if r.failing > 1:
        total += AVOIDS * (t.fixed - 1) / (r.failing - 1)
    if r.passing:
        total += BREAKS * (r.passing - t.kept) / r.passing
    if r.failing + r.passing > 1 and r.is_complete:
        total += COMPLETE
    return total


def _also_beside(best: Repair, survivors: Sequence[Repair]) -> Iterator[Also]:
    """Other statements that the edits of a statement stand beside: an insertion after one is before the next."""
    here = best.proposal.place
    lines = {here.line}
    for r in survivors:
        if r.proposal.place != here or (r.tally.fixed, r.tally.kept) != (best.tally.fixed, best.tally.kept):
            continue
        for other in r.proposal.near:
            if other.path == here.path and other.line not in lines:
                lines.add(other.line)
                yield Also(other.file, other.line, f"an edit that helps stands beside this too: {other.text}")


def _words(r: Repair, then: str) -> str:
    if r.failing + r.passing > 1:
        return f"{_with(r.proposal.why)}: {r.label}"
    similar = (
        f"; that changes the output of {r.tally.differs} of {r.tally.similar} similar inputs" if r.tally.similar else ""
    )
    return f"{_with(r.proposal.why)}, {then}{similar}"


def _with(edit: str) -> str:
    """What an edit does, at the beginning of a sentence: with `<=` instead of `<`, without `+ 1`."""
    return edit if edit.startswith("without ") else f"with {edit}"
