"""But for this statement: the program is run again with one thing changed, and the failure is gone.

Every site of the failing run is tried with the changes that people make when they mend programs; what avoids the failure is evidence that the
program itself gave. It says that a change here avoids the failure, not that the statement is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from butfor.explanation import Evidence, FailureKind
from butfor.intervene.again import experiment
from butfor.intervene.candidates import Candidate, Candidates
from butfor.intervene.experiment import Confirmed, Result
from butfor.intervene.sites import Site
from butfor.localize.base import Case, Diagnosis, Finding
from butfor.trace.places import Place

_SHARE = 0.4  # of the budget
_NEARBY = 24  # other inputs on which confirmed changes are tried
_FAR = 1_000.0  # distance of what is in no slice
_PRIOR = {
    "boundary": 1.0,
    "reversed": 0.9,
    "relation": 0.8,
    "operator": 0.95,
    "variable": 0.9,
    "near": 0.85,
    "shift": 0.8,
    "case": 0.7,
    "call": 0.8,
    "member": 0.8,
    "flip": 0.7,
    "force": 0.65,
    "keep": 0.65,
    "skip": 0.65,
    "operand": 0.75,
    "value": 0.5,
}


@dataclass(slots=True)
class _Statement:
    place: Place
    found: list[Confirmed] = field(default_factory=list)


def localize(case: Case) -> Diagnosis:
    """The statements at which a change avoids the failure."""
    if case.point.kind is FailureKind.MEMORY and case.recording.meta.expect_stdout is None:
        return Diagnosis("butfor", (), {"skipped": "memory errors that the run survived cannot be seen in a run that records nothing"})
    end = time.monotonic() + _SHARE * case.options.budget
    with experiment(case.recording, case.point, case.options.cc) as (build, running):
        result = running.watch()
        if not result.repeatable or running.goal.is_met(result.baseline):
            return Diagnosis("butfor", (), {"skipped": "the run is not repeatable: run again without any change, it ends differently"})
        ordered = list(_in_order(case, build.sites, Candidates(case.recording.program, build.sites, result.seen)))
        running.search(result, ordered, lambda: time.monotonic() >= end or case.budget.is_over())
        inputs = running.disturb(result, _NEARBY, case.budget.is_over)
    statements = _by_statement(case, result)
    findings = tuple(sorted((_finding(s) for s in statements), key=lambda f: -f.score))
    data = {"runs": result.runs, "seconds": round(result.seconds, 3), "candidates": len(ordered), "inputs": inputs, "confirmed": _plain(statements)}
    return Diagnosis("butfor", findings, data, result.complete)


def distances(case: Case) -> dict[tuple[str, int], float]:
    """How far each instruction was from the failure, for those in the relevant slice."""
    best: dict[tuple[str, int], float] = {}
    for kind in ("data", "relevant"):
        for node, distance in case.slices[kind].distance.items():
            key = (case.trace.at(node[0]).fn.name, node[1])
            if distance < best.get(key, _FAR):
                best[key] = distance
    return best


def _in_order(case: Case, sites: tuple[Site, ...], candidates: Candidates) -> Iterator[Candidate]:
    known = distances(case)
    check = case.places.of(case.point.node) if case.point.node is not None else None
    rows = []
    for site in sites:
        place = place_of(case, site)
        if place is None or (check is not None and place.line == check.line and place.path == check.path and _is_check(case)):
            continue
        distance = known.get((site.function, site.instr), _FAR)
        rows += [(c.stage + min(distance, _FAR) / 20, c) for c in candidates.of(site)]
    rows.sort(key=lambda row: row[0])
    return iter([c for _, c in rows])


def _is_check(case: Case) -> bool:
    return case.point.kind in (FailureKind.ASSERTION, FailureKind.REACH_ERROR)


def place_of(case: Case, site: Site) -> Place | None:
    """The statement that a site belongs to."""
    fn = case.recording.program.function(site.function)
    return case.places.of_instr(fn, fn.instrs[site.instr])


def _by_statement(case: Case, result: Result) -> list[_Statement]:
    found: dict[Place, _Statement] = {}
    for c in result.confirmed:
        place = place_of(case, c.candidate.site)
        if place is not None:
            found.setdefault(place, _Statement(place)).found.append(c)
    return list(found.values())


def _finding(s: _Statement) -> Finding:
    best = max(s.found, key=_strength)
    return Finding(s.place, round(_strength(best), 4), f"{best.candidate.family} {best.candidate.rule.op.name}", Evidence.REPLAYED)


def _strength(c: Confirmed) -> float:
    return _PRIOR[c.candidate.family] * (1.0 if c.passes else 0.6)


def _plain(statements: list[_Statement]) -> list[dict[str, Any]]:
    return [
        {
            "file": s.place.file,
            "line": s.place.line,
            "text": s.place.text,
            "rules": [
                {
                    "family": c.candidate.family,
                    "op": c.candidate.rule.op.name,
                    "a": c.candidate.rule.a,
                    "name": c.candidate.rule.name,
                    "kind": str(c.candidate.site.kind),
                    "passes": c.passes,
                    "elsewhere": c.elsewhere,
                    "changed": c.outcome.changed,
                    "change_event": c.outcome.change_event,
                    "events": c.outcome.events,
                }
                for c in s.found
            ],
        }
        for s in statements
    ]
