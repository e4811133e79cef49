"""Minimal diagnoses: the smallest sets of statements whose change can avoid all failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from butfor.errors import ButforError
from butfor.explanation import Evidence, FailureKind
from butfor.failures.failure_point import Unsupported
from butfor.methods.budget import Budget
from butfor.methods.case import FailingPath, FailingRun
from butfor.methods.diagnoses.structural_changes import structural_changes, value_changes
from butfor.methods.other_failing_tests import other_failing_runs
from butfor.path.changed_runs import KEPT, ChangedRuns, PathEdit, RunVerdict
from butfor.path.execute.smallest_change_sets import (
    MAX_NAMED_SETS,
    ChangeSet,
    ChangeSets,
    sets_in_words,
    smallest_change_sets,
)
from butfor.path.execute.statement_changes import Change, ChangeKind, plain_changes
from butfor.path.path_model import BRANCH, Kind, Path
from butfor.path.path_words import value_text
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.view.source_places import Place

LIFTING_SHARE = 0.4  # of the time, that lifting the paths of other runs may take: comparing them needs the rest
_PINNED = "the diagnoses are for the inputs that were found (pinned)"
# scores of the first set of a kind; later ones go down to the least
_LEAST_SCORE, _CONFIRMED_SCORE, _POSSIBLE_SCORE, _STRUCTURAL_SCORE = 0.1, 0.9, 0.3, 0.2
_WORDS = {
    ChangeKind.VALUE: "a change here{} {} {}",
    ChangeKind.DEFINITION: "a change of this definition{} {} {}",
    ChangeKind.INITIALISER: "another initial value{} {} {}",
    ChangeKind.INPUT: "reading something else here{} {} {}",
    ChangeKind.FAILING: "this is where the failure shows: a change here{} {} {}",
    ChangeKind.TARGET: "storing to another place here{} {} {}",
    ChangeKind.CALL: "another call here, or none{}, {} {}",
}
_COUNTED = {
    1: "one statement",
    2: "two statements together",
    3: "three statements together",
    4: "four statements together",
}


@dataclass(slots=True)
class DiagnosedRuns:
    """Failing paths by the names of their runs, with the changes of values in each, and those beyond values."""

    paths: dict[str, Path] = field(default_factory=dict)
    cases: list[FailingRun] = field(default_factory=list)
    by_value: list[Mapping[Place, Change]] = field(default_factory=list)
    beyond_values: list[Mapping[Place, Change]] = field(default_factory=list)


def diagnoses_of_runs(case: FailingRun) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure of this run and of the other failing tests."""
    share = Budget(LIFTING_SHARE * case.budget.seconds)
    found = DiagnosedRuns()
    try:
        _add(found, "", case)
    except ButforError as e:
        return Diagnosis((), {"sets": []}, complete=False, notes=(f"there are no diagnoses: {e.message}",))
    others = [run for run in case.others if run.failed]
    for name, other in other_failing_runs(case):
        try:
            _add(found, name, other)
        except (ButforError, Unsupported):
            continue
        if share.is_over():
            break
    with ExitStack() as running:
        runs = [running.enter_context(c.changed_runs()) for c in found.cases]
        return _diagnosis(found, case.budget, failing=1 + len(others), runs=runs)


def _add(found: DiagnosedRuns, name: str, case: FailingRun) -> None:
    endless = case.point.kind is FailureKind.NO_END
    path = case.any_path if endless else case.path_with_stores_left_out
    found.paths[name] = path
    found.cases.append(case)
    found.by_value.append({p: c for p, c in value_changes(case, path).items() if case.may_be_changed(p)})
    found.beyond_values.append({p: c for p, c in structural_changes(case, path).items() if case.may_be_changed(p)})


def diagnoses_of_path(case: FailingPath) -> Diagnosis:
    """The smallest sets of statements whose change can avoid the failure, with inputs as found."""
    paths = case.named_paths
    changes: list[Mapping[Place, Change]] = [
        {p: c for p, c in plain_changes(path).items() if case.may_be_changed(p)} for path in paths.values()
    ]
    return _diagnosis(DiagnosedRuns(paths, by_value=changes), case.budget, runs=[case.program] * len(paths))


def _diagnosis(
    diagnosed: DiagnosedRuns, budget: Budget, failing: int = 1, runs: Sequence[ChangedRuns | None] = ()
) -> Diagnosis:
    """The smallest sets whose change can avoid the failures of all paths; `failing` counts all failing tests."""
    paths = diagnosed.paths
    found = smallest_change_sets(
        tuple(paths.values()),
        budget.is_over,
        possible=diagnosed.by_value,
        wider=diagnosed.beyond_values,
        runs=runs,
    )
    data = {
        "sets": [_row(s, paths) for s in found.sets],
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
    return Diagnosis(_findings(found.sets, len(paths)), data, found.complete, notes)


def _row(s: ChangeSet, paths: Mapping[str, Path]) -> dict[str, Any]:
    """A set in the JSON report; `confirmed_by` are the changed runs, by failing run."""
    named = list(paths.items())
    return {
        "statements": [{"file": p.file, "line": p.line, "text": p.text} for p in s.places],
        "proved": s.proved and s.run is RunVerdict.AVOIDED,
        "how": s.how.value,
        "evidence": _evidence(s).value,
        "confirmed_by": {named[k][0]: _changes(named[k][1], edits) for k, edits in sorted(s.edits.items())},
    }


def _changes(path: Path, edits: Sequence[PathEdit]) -> list[dict[str, Any]]:
    """What a changed run did otherwise: which cells got which values, which decisions were reversed."""
    cells = {c.name: c for c in path.cells}
    found = []
    for edit in edits:
        instance = path.instances[edit.position] if edit.position >= 0 else None
        was = path.initial[edit.cell] if instance is None else instance.recorded.get(edit.cell, 1)
        if edit.value == was:
            continue
        line = None if instance is None else instance.place.line
        if edit.cell == BRANCH:
            found.append({"line": line, "cell": None, "value": "decided otherwise"})
        else:
            cell = cells[edit.cell]
            value = "left as it was" if edit.value is KEPT else value_text(cell, edit.value)
            found.append({"line": line, "cell": cell.shown, "value": value})
    return found


def _evidence(s: ChangeSet) -> Evidence:
    return Evidence.REPLAYED if s.run is RunVerdict.AVOIDED else Evidence.HEURISTIC


def _findings(sets: Sequence[ChangeSet], runs: int) -> tuple[Finding, ...]:
    """Each statement with its smallest set; of sets of one size the first ones score higher."""
    best: dict[Place, ChangeSet] = {}
    for s in sets:
        for place in s.places:
            best.setdefault(place, s)
    findings = []
    for number, (place, s) in enumerate(best.items()):
        others = [f"line {p.line}" for p in s.places if p is not place]
        together = f", together with {' and '.join(others)}," if others else ""
        evidence = _evidence(s)
        top = (
            _STRUCTURAL_SCORE
            if s.how.order >= ChangeKind.INPUT.order
            else _CONFIRMED_SCORE
            if evidence is Evidence.REPLAYED
            else _POSSIBLE_SCORE
        )
        score = _LEAST_SCORE + (top - _LEAST_SCORE) * (1 - number / (len(best) + 1)) if number else top
        reason = _WORDS[s.how].format(
            together,
            "can avoid" if evidence is Evidence.REPLAYED else "may avoid",
            "the failure" if runs == 1 else f"all {runs} failures",
        )
        findings.append(Finding(place, round(score / len(s.places), 4), reason, evidence))
    return tuple(sorted(findings, key=lambda f: -f.score))


# --- in words ---------------------------------------------------------------------------------------------------------


def _notes(found: ChangeSets, runs: int) -> tuple[str, ...]:
    if found.unavoidable:
        what = "the failure" if runs == 1 else "all failures"
        return (f"no change of statements along the path avoids {what}",)
    return tuple(_set_notes(found, "the failure" if runs == 1 else f"all {runs} failures"))


def _set_notes(found: ChangeSets, what: str) -> Iterator[str]:
    """The sets by size, the first ones named, the others counted."""
    left = MAX_NAMED_SETS
    for size in sorted({len(s.places) for s in found.sets}):
        sets = [s for s in found.sets if len(s.places) == size]
        if left <= 0 and size > 1:
            return
        shown, left = sets[: max(left, 0)], left - len(sets)
        more = f"; {len(sets) - len(shown)} more" if len(sets) > len(shown) else ""
        least = "" if size <= found.largest else "at least "
        counted = _COUNTED.get(size, f"{size} statements together")
        run = sum(s.run is RunVerdict.AVOIDED for s in sets)
        how, known = ("can avoid", "") if run == len(sets) else ("may avoid", f" ({_confirmed(run)})")
        ways = f"{least}{_ways(len(sets))}{known}"
        yield f"a change of {counted} {how} {what} in {ways}: {sets_in_words(shown)}{more}"


def _confirmed(count: int) -> str:
    if not count:
        return "a guess: no run confirmed it"
    return "the first one was confirmed by a run" if count == 1 else f"the first {count} were confirmed by runs"


def _ways(count: int) -> str:
    return "one way" if count == 1 else f"{count} ways"
