"""Minimal diagnoses as findings and as their part of the report; the same for recorded runs and for paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from butfor.explanation import Evidence
from butfor.localize.base import Budget, Diagnosis, Finding
from butfor.path.model import Kind, Path
from butfor.relevance.changes import Changes, ChangeSet, smallest_changes
from butfor.trace.places import Place

NAME = "diagnoses"
_SHOWN = 3  # sets in a note
_PINNED = "the diagnoses are for the inputs that were found (pinned)"


def diagnosis(paths: Mapping[str, Path], budget: Budget) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failures of all paths, by the names of the runs."""
    found = smallest_changes(tuple(paths.values()), budget.is_over)
    exact = not any(p.approximate for p in paths.values())
    data = {
        "sets": [plain(s, exact) for s in found.sets],
        "runs": list(paths),
        "largest": found.largest,
        "unavoidable": found.unavoidable,
        "approximate": sorted({a for p in paths.values() for a in p.approximate}),
    }
    notes = _notes(found, len(paths))
    if found.sets and any(p.inputs or any(i.kind is Kind.HAVOC for i in p.instances) for p in paths.values()):
        notes = (*notes, _PINNED)
    return Diagnosis(NAME, _findings(found.sets, exact), data, found.complete, notes)


def plain(s: ChangeSet, exact: bool) -> dict[str, Any]:
    """A set for the report."""
    return {"statements": [{"file": p.file, "line": p.line, "text": p.text} for p in s.places], "proved": s.proved and exact}


def _findings(sets: Sequence[ChangeSet], exact: bool) -> tuple[Finding, ...]:
    """Each statement with its smallest set."""
    best: dict[Place, ChangeSet] = {}
    for s in sets:
        for place in s.places:
            best.setdefault(place, s)
    findings = []
    for place, s in best.items():
        others = [f"line {p.line}" for p in s.places if p is not place]
        together = f", together with {' and '.join(others)}," if others else ""
        evidence = Evidence.PROVED if s.proved and exact else Evidence.HEURISTIC
        findings.append(
            Finding(place, round((0.9 if s.proved else 0.6) / len(s.places), 4), f"a change here{together} can avoid the failure", evidence)
        )
    return tuple(sorted(findings, key=lambda f: -f.score))


def _notes(found: Changes, runs: int) -> tuple[str, ...]:
    if found.unavoidable:
        what = "the failure" if runs == 1 else "all failures"
        return (f"no change of statements along the path avoids {what}: it depends on the inputs alone",)
    if not found.sets or len(found.sets[0].places) == 1:
        return ()
    return (told(found),)


def told(found: Changes) -> str:
    """The smallest sets, in words."""
    size = len(found.sets[0].places)
    sets = [" and ".join(f"line {p.line} (`{p.text}`)" for p in s.places) for s in found.sets if len(s.places) == size]
    more = f"; {len(sets) - _SHOWN} more" if len(sets) > _SHOWN else ""
    return f"{size} statements would have to change together: {'; or '.join(sets[:_SHOWN])}{more}"
