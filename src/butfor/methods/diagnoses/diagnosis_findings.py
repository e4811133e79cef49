"""Minimal diagnoses as findings and as their part of the report; the same for recorded runs and for paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from butfor.explanation import Evidence
from butfor.methods.case import Budget
from butfor.path.execute.smallest_change_sets import Changes, ChangeSet, smallest_changes
from butfor.path.execute.statement_changes import Change, How
from butfor.path.path_model import Kind, Path
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place

_SHOWN = 7  # sets in a note
_PINNED = "the diagnoses are for the inputs that were found (pinned)"
_LEAST, _PROVED, _POSSIBLE, _WIDER = 0.2, 0.9, 0.6, 0.4
_WORDS = {
    How.VALUE: "a change here{} can avoid {}",
    How.DEFINITION: "a change of this definition{} can avoid {}",
    How.INITIALISER: "another initial value{} can avoid {}",
    How.INPUT: "reading something else here{} can avoid {}",
    How.FAILING: "this is where the failure shows: a change here{} can avoid {}",
    How.TARGET: "storing to another place here{} can avoid {}",
    How.CALL: "another call here, or none{}, can avoid {}",
}
_COUNTED = {
    1: "one statement",
    2: "two statements together",
    3: "three statements together",
    4: "four statements together",
}


@dataclass(slots=True)
class Runs:
    """Failing paths by the names of their runs, with the changes of each that are possible and those that go further."""

    paths: dict[str, Path] = field(default_factory=dict)
    possible: list[Mapping[Place, Change]] = field(default_factory=list)
    wider: list[Mapping[Place, Change]] = field(default_factory=list)


def diagnosis(runs: Runs, budget: Budget, failing: int = 1) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failures of all paths; `failing` are all failing tests that there are."""
    paths = runs.paths
    found = smallest_changes(tuple(paths.values()), budget.is_over, possible=runs.possible, wider=runs.wider)
    exact = not any(p.approximate for p in paths.values())
    data = {
        "sets": [plain(s, exact) for s in found.sets],
        "runs": list(paths),
        "largest": found.largest,
        "unavoidable": found.unavoidable,
        "approximate": sorted({a for p in paths.values() for a in p.approximate}),
    }
    notes = _notes(found, len(paths))
    if len(paths) < failing:
        notes = (*notes, f"the diagnoses are for {len(paths)} of {failing} failing tests")
    if found.sets and any(p.inputs or any(i.kind is Kind.HAVOC for i in p.instances) for p in paths.values()):
        notes = (*notes, _PINNED)
    return Diagnosis(_findings(found.sets, exact, len(paths)), data, found.complete, notes)


def plain(s: ChangeSet, exact: bool) -> dict[str, Any]:
    """A set for the report."""
    return {
        "statements": [{"file": p.file, "line": p.line, "text": p.text} for p in s.places],
        "proved": s.proved and exact,
        "how": s.how.value,
    }


def _findings(sets: Sequence[ChangeSet], exact: bool, runs: int) -> tuple[Finding, ...]:
    """Each statement with its smallest set; of sets of one size the first ones score higher."""
    best: dict[Place, ChangeSet] = {}
    for s in sets:
        for place in s.places:
            best.setdefault(place, s)
    findings = []
    for number, (place, s) in enumerate(best.items()):
        others = [f"line {p.line}" for p in s.places if p is not place]
        together = f", together with {' and '.join(others)}," if others else ""
        evidence = Evidence.PROVED if s.proved and exact else Evidence.HEURISTIC
        top = _WIDER if s.how.order >= How.INPUT.order else _PROVED if s.proved else _POSSIBLE
        score = _LEAST + (top - _LEAST) * (1 - number / (len(best) + 1)) if number else top
        reason = _WORDS[s.how].format(together, "the failure" if runs == 1 else f"all {runs} failures")
        findings.append(Finding(place, round(score / len(s.places), 4), reason, evidence))
    return tuple(sorted(findings, key=lambda f: -f.score))


# --- in words ---------------------------------------------------------------------------------------------------------


def _notes(found: Changes, runs: int) -> tuple[str, ...]:
    if found.unavoidable:
        what = "the failure" if runs == 1 else "all failures"
        return (f"no change of statements along the path avoids {what}: it depends on the inputs alone",)
    return tuple(_told(found, "the failure" if runs == 1 else f"all {runs} failures"))


def _told(found: Changes, what: str) -> Iterator[str]:
    """The sets by size, the first ones named, the others counted."""
    left = _SHOWN
    for size in sorted({len(s.places) for s in found.sets}):
        sets = [s for s in found.sets if len(s.places) == size]
        if left <= 0 and size > 1:
            return
        shown, left = sets[: max(left, 0)], left - len(sets)
        more = f"; {len(sets) - len(shown)} more" if len(sets) > len(shown) else ""
        least = "" if size <= found.largest else "at least "
        yield f"a change of {_COUNTED.get(size, f'{size} statements together')} can avoid {what} in {least}{_ways(len(sets))}: {_named(shown)}{more}"


def _ways(count: int) -> str:
    return "one way" if count == 1 else f"{count} ways"


def _named(sets: Sequence[ChangeSet]) -> str:
    return "; or ".join(" and ".join(f"line {p.line} (`{p.text}`)" for p in s.places) for s in sets)


def told(found: Changes) -> str:
    """The smallest sets, in words."""
    size = len(found.sets[0].places)
    sets = [s for s in found.sets if len(s.places) == size]
    more = f"; {len(sets) - _SHOWN} more" if len(sets) > _SHOWN else ""
    return f"{size} statements would have to change together: {_named(sets[:_SHOWN])}{more}"
