"""Sets of changed statements confirmed by runs: does the program, run with such changes, no longer fail?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from butfor.logic.sorts import Value, is_map
from butfor.path.changed_runs import ChangedRuns, PathEdit, RunVerdict
from butfor.path.execute.path_execution import is_given
from butfor.path.execute.plain_edits import plain_edits
from butfor.path.execute.statement_changes import Change
from butfor.path.path_model import BRANCH, Kind, Path
from butfor.path.searched_program import BEFORE_FIRST

MAX_INSTANCES_EDITED = 3  # of a statement, one at a time: the last ones
RUNS_PER_BATCH = 64  # between two looks at the clock


def edits_of(path: Path, change: Change, values: Mapping[str, Value], prefix: str = "") -> tuple[PathEdit, ...]:
    """The edits of a run with a change whose variables have these values; none where the change is more than that.

    `prefix` stands behind the letter of a variable: `r0.7.1` is what instance 7 of path 0 gives to its second cell.
    """
    if change.effects or change.leads:
        return ()
    edits = [
        PathEdit(BEFORE_FIRST, name, values.get(f"i.{name}", path.initial[name]))
        for name in sorted(change.starts)
        if name in path.initial
    ]
    for k in sorted(change.on):
        instance = path.instances[k]
        if instance.kind is Kind.BRANCH:
            edits.append(PathEdit(k, BRANCH, int(bool(values.get(f"c{prefix}{k}", 1)))))
            continue
        for number, (cell, term) in enumerate(instance.writes):
            is_as_found = is_given(instance, cell, term) and k not in change.inputs
            if not is_as_found and not is_map(cell.sort):
                value = values.get(f"r{prefix}{k}.{number}", instance.recorded[cell.name])
                edits.append(PathEdit(k, cell.name, value))
    return tuple(edits)


@dataclass(slots=True)
class Trial:
    """A set of changes that is to be confirmed: per path the changes and the edits that are likely to help."""

    changes: list[Sequence[Change]]
    likely: list[tuple[PathEdit, ...]]
    verdicts: dict[int, RunVerdict] = field(default_factory=dict)  # by path
    avoided_by: dict[int, tuple[PathEdit, ...]] = field(default_factory=dict)  # by path

    @property
    def verdict(self) -> RunVerdict:
        """AVOIDED if every failure is, FAILED if some remain and none is avoided, whatever was tried.

        Where one of several failures is avoided, values that avoid the others too may just not have been tried.
        """
        found = set(self.verdicts.values())
        if found == {RunVerdict.AVOIDED} and len(self.verdicts) == len(self.changes):
            return RunVerdict.AVOIDED
        return RunVerdict.FAILED if found == {RunVerdict.FAILED} else RunVerdict.UNKNOWN


class Confirmation:
    """Runs of the programs of some paths; None where a program cannot be run."""

    def __init__(self, paths: Sequence[Path], runs: Sequence[ChangedRuns | None], is_over: Callable[[], bool]) -> None:
        self.paths = paths
        self.runs = runs
        self.is_over = is_over

    def confirm(self, trials: Sequence[Trial]) -> None:
        """Run the likely edits of each set, then plain edits of single instances where they do not help."""
        for number, path in enumerate(self.paths):
            self._run(number, [(t, t.likely[number]) for t in trials if t.likely[number]], is_likely=True)
            self._run(
                number,
                [
                    (t, (edit,))
                    for t in trials
                    if t.verdicts.get(number) is not RunVerdict.AVOIDED and len(t.changes[number]) == 1
                    for edit, _ in plain_edits(path, _editable(path, t.changes[number][0]))
                ],
            )

    def _run(
        self, number: int, proposals: Sequence[tuple[Trial, tuple[PathEdit, ...]]], *, is_likely: bool = False
    ) -> None:
        """Run the program of one path with edits; that it fails tells something only of edits that should help."""
        runs, path = self.runs[number], self.paths[number]
        if runs is None:
            return
        for start in range(0, len(proposals), RUNS_PER_BATCH):
            if self.is_over():
                return
            batch = proposals[start : start + RUNS_PER_BATCH]
            outcomes = runs.verdicts(path, [edits for _, edits in batch])
            for (trial, edits), outcome in zip(batch, outcomes, strict=True):
                if number in trial.avoided_by:
                    continue
                if outcome is RunVerdict.AVOIDED:
                    trial.verdicts[number], trial.avoided_by[number] = outcome, edits
                elif is_likely and outcome is RunVerdict.FAILED:
                    trial.verdicts[number] = outcome


def _editable(path: Path, change: Change) -> list[int]:
    """The instances of a change that are edited one at a time."""
    if change.effects or change.leads:
        return []
    return sorted(change.on)[-MAX_INSTANCES_EDITED:]
