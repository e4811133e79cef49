"""Verdicts confirmed by runs: the program is run with the value of which the path says that it avoids the failure.

A run may go on differently from the path and fail all the same, and where an access would go elsewhere the path says
nothing. So each verdict that a statement is relevant is tried, first with the value that was found, then with a few
others; and so is each statement of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from butfor.logic.solvers import Limit
from butfor.methods.relevance.instance_verdicts import Relevance
from butfor.methods.relevance.statement_verdicts import StatementVerdict
from butfor.path.changed_runs import KEPT, ChangedRuns, PathEdit, RunVerdict
from butfor.path.execute.any_value import OtherValue, other_text
from butfor.path.execute.plain_edits import MAX_CELLS_EDITED, plain_edits
from butfor.path.execute.single_change import Avoidance, can_avoid
from butfor.path.execute.single_change_rerun import SingleChangeRerun
from butfor.path.execute.statement_changes import Change, plain_changes
from butfor.path.path_model import Kind, Path
from butfor.trace.view.source_places import Place

MAX_INSTANCES_TRIED = 2  # of one statement, the last ones: most others are like them
NEAR_INDICES = (2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8)  # how far an index may be off, besides by one
RUNS_PER_BATCH = 64  # between two looks at the clock
SECONDS_PER_DOUBT = 2.0  # for the question whether a statement is irrelevant whatever skipped blocks do


@dataclass(frozen=True, slots=True)
class _Proposal:
    row: int
    edits: tuple[PathEdit, ...]
    text: str | None  # None: that of the row itself


def confirmed(
    path: Path,
    rows: Sequence[StatementVerdict],
    runs: ChangedRuns | None,
    is_over: Callable[[], bool],
    address: Callable[[int], str] = hex,
) -> tuple[StatementVerdict, ...]:
    """The verdicts with what the runs say about them, as far as there is time; `address` writes pointers."""
    rows = _with_doubts(path, rows, is_over)
    if runs is None:
        return rows
    trials = _Trials(path, list(rows), runs, is_over)
    trials.run(_Proposal(k, row.edits, None) for k, row in enumerate(rows) if row.edits and row.verdict.is_relevant)
    trials.run(
        proposal
        for k, row in enumerate(trials.rows)
        if row.run is not RunVerdict.AVOIDED and row.verdict is not Relevance.IRRELEVANT
        for proposal in _others(path, k, row, address)
    )
    return tuple(trials.rows)


def relevant_elsewhere(
    path: Path,
    wider: Path,
    rows: Sequence[StatementVerdict],
    runs: ChangedRuns,
    is_over: Callable[[], bool],
    address: Callable[[int], str] = hex,
) -> tuple[StatementVerdict, ...]:
    """Verdicts on statements that only the wider path has, as far as a run shows that another value avoids the failure.

    They sent a store elsewhere that could have gone to what the path reads. Of the others nothing is said.
    """
    known = {row.place for row in rows} | {instance.place for instance in path.instances}
    positions: dict[Place, list[int]] = {}
    for k, instance in enumerate(wider.instances):
        if instance.place not in known and not instance.trusted:
            positions.setdefault(instance.place, []).append(k)
    unknown = Relevance.UNKNOWN
    candidates = [
        StatementVerdict(place, unknown, unknown, instances=len(ks), positions=tuple(ks))
        for place, ks in positions.items()
    ]
    trials = _Trials(wider, candidates, runs, is_over)
    for distance in (0, *NEAR_INDICES):
        trials.run(
            proposal
            for k, row in enumerate(trials.rows)
            if row.run is not RunVerdict.AVOIDED
            for proposal in (_near(wider, k, row, distance) if distance else _others(wider, k, row, address))
        )
    return tuple(row for row in trials.rows if row.run is RunVerdict.AVOIDED)


def _near(path: Path, number: int, row: StatementVerdict, distance: int) -> Iterator[_Proposal]:
    """Values at a distance from what a statement assigned last: an index may be wrong by more than one."""
    for k in row.positions[-MAX_INSTANCES_TRIED:]:
        for cell, _ in path.instances[k].writes[:MAX_CELLS_EDITED]:
            recorded = path.instances[k].recorded.get(cell.name)
            if recorded is not None and cell.sort > 0 and not cell.is_pointer:
                value = (recorded + distance) % (1 << cell.sort)
                yield _Proposal(
                    number, (PathEdit(k, cell.name, value),), other_text(OtherValue(cell, value, cell.sort))
                )


def _with_doubts(
    path: Path, rows: Sequence[StatementVerdict], is_over: Callable[[], bool]
) -> tuple[StatementVerdict, ...]:
    """The verdicts without those that rest on a skipped block doing its worst.

    What a skipped block leaves in its variables is taken to be anything. That proves that a value avoids the failure,
    but not that none does: for this, none may do so whatever the block leaves there.
    """
    skippable = [
        row
        for row in rows
        if row.verdict is Relevance.IRRELEVANT and row.on_trace.is_relevant and not row.by_trace  # of this path alone
    ]
    if not skippable:
        return tuple(rows)
    rerun, changes = SingleChangeRerun(path), plain_changes(path)
    return tuple(_doubted(path, row, rerun, changes, is_over) if row in skippable else row for row in rows)


def _doubted(
    path: Path,
    row: StatementVerdict,
    rerun: SingleChangeRerun,
    changes: Mapping[Place, Change],
    is_over: Callable[[], bool],
) -> StatementVerdict:
    change = changes.get(row.place)
    limit = Limit.after(SECONDS_PER_DOUBT, is_over)
    if change is not None:
        change = replace(change, inputs=frozenset(change.on))  # what comes from outside may be another value too
        if can_avoid(rerun, change, limit).avoidance is Avoidance.NO:
            return row
    positions = tuple(k for k, instance in enumerate(path.instances) if instance.place == row.place)
    return replace(row, verdict=Relevance.UNKNOWN, positions=positions)


class _Trials:
    def __init__(
        self, path: Path, rows: list[StatementVerdict], runs: ChangedRuns, is_over: Callable[[], bool]
    ) -> None:
        self.path = path
        self.rows = rows
        self.runs = runs
        self.is_over = is_over

    def run(self, proposals: Iterator[_Proposal]) -> None:
        """Run the program with the proposed changes and note the first one of each statement that helps."""
        waiting = list(proposals)
        for start in range(0, len(waiting), RUNS_PER_BATCH):
            if self.is_over():
                return
            batch = waiting[start : start + RUNS_PER_BATCH]
            for proposal, verdict in zip(batch, self.runs.verdicts(self.path, [p.edits for p in batch]), strict=True):
                self._note(proposal, verdict)

    def _note(self, proposal: _Proposal, verdict: RunVerdict) -> None:
        row = self.rows[proposal.row]
        if row.run is RunVerdict.AVOIDED:
            return
        if verdict is RunVerdict.AVOIDED:
            last = proposal.edits[-1].position
            row = replace(row, run=verdict, edits=proposal.edits, last=last, verdict=self._relevance(row, last))
            row = replace(row, relevant=max(row.relevant, 1))
            self.rows[proposal.row] = row if proposal.text is None else replace(row, counterfactual=proposal.text)
        elif row.run is None or (verdict is RunVerdict.FAILED and proposal.text is None):
            self.rows[proposal.row] = replace(row, run=verdict, verdict=self._after(row, verdict))

    @staticmethod
    def _after(row: StatementVerdict, verdict: RunVerdict) -> Relevance:
        """The verdict on a row after a run: the other arm of a decision may lead to the failed check as well."""
        if not row.control or verdict is not RunVerdict.FAILED:
            return row.verdict
        return Relevance.IRRELEVANT if row.instances == 1 else Relevance.UNKNOWN

    def _relevance(self, row: StatementVerdict, position: int) -> Relevance:
        if row.verdict.is_relevant:
            return row.verdict
        is_input = self.path.instances[position].kind is Kind.HAVOC
        return Relevance.ADMITTING if is_input else Relevance.ENFORCING


def _others(path: Path, number: int, row: StatementVerdict, address: Callable[[int], str]) -> Iterator[_Proposal]:
    """Other values at the last instances of a statement, of which nothing is known on the path."""
    for edit, cell in plain_edits(path, row.positions[-MAX_INSTANCES_TRIED:]):
        if cell is None or row.control:
            yield _Proposal(number, (PathEdit.other_arm(edit.position),), None)
        elif edit.value is KEPT:
            yield _Proposal(number, (edit,), f"{cell.shown} left as it was")
        else:
            yield _Proposal(number, (edit,), other_text(OtherValue(cell, edit.value, cell.sort), address))
