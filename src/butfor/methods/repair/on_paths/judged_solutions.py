"""What a program that is searched does with a solution: run with the inputs of the failing paths, then searched.

Along a path, leaving it avoids the failure. Whether the other arm fails too only the program can say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from butfor.methods.repair.on_paths.solution_model import (
    CONDITION,
    Judgement,
    Solution,
    Solutions,
    Standing,
    StatementChange,
)
from butfor.methods.repair.on_paths.solution_patches import changed_text
from butfor.path.changed_runs import ChangedRuns, PathEdit, RunVerdict
from butfor.path.path_model import BRANCH, Path
from butfor.path.searched_program import (
    Answer,
    ChangedRun,
    ChangedSearch,
    ProgramChange,
    RewrittenStatement,
    SearchedProgram,
)

SECONDS_PER_SEARCH = 3.0  # for one solution: there are up to two dozen
PASSES = "run with these values, nothing fails"
NOT_RUN = "known along the path only: the program was not run with it"


@dataclass(frozen=True, slots=True)
class SolutionJudge:
    """Judges the solutions for some failing paths of a program."""

    program: SearchedProgram
    paths: Sequence[Path]

    def accepts(self, solution: Solution) -> Solution | None:
        """The solution with what runs say of it; None where one fails at the same check, or does not end."""
        if not _has_values(solution):
            return replace(solution, judgement=Judgement(Standing.OPEN, NOT_RUN))
        ends = {self.program.run_with(path, _change(solution, number, path)) for number, path in enumerate(self.paths)}
        if ends & {ChangedRun.SAME_FAILURE, ChangedRun.NO_END}:
            return None
        return replace(solution, judgement=_of_runs(ends, len(self.paths)))

    def searched(self, found: Solutions, seconds_left: Callable[[], float]) -> Solutions:
        """The solutions with what a search through the changed program says of each; best first, and each once."""
        rows = []
        different = {tuple(map(_key, s.changes)): s for s in reversed(found.found)}
        for solution in reversed(different.values()):
            seconds = min(seconds_left(), SECONDS_PER_SEARCH)
            is_open = solution.judgement.standing is not Standing.FAILS
            if seconds > 0 and is_open and all(map(changed_text, solution.changes)):
                search = self.program.search_with(self.paths[0], _change(solution, 0, self.paths[0]), seconds)
                solution = replace(solution, judgement=_of_search(search, solution.judgement))
            rows.append(solution)
        return replace(found, found=tuple(sorted(rows, key=lambda s: s.key)))


@dataclass(frozen=True, slots=True)
class RunJudge:
    """Judges the solutions for failing runs that only choose values: edits are compiled and run later.

    `runs` repeats the first of the runs with other values; None when that cannot be done.
    """

    runs: ChangedRuns | None
    paths: Sequence[Path]

    def accepts(self, solution: Solution) -> Solution | None:
        """The solution; None where a run with its values fails, or where nothing is known of it.

        Nothing is known where values only lead into another arm that comes back to the check.
        """
        if all(c.alternative.edits for c in solution.changes):
            return solution
        edits = _change(solution, 0, self.paths[0]).edits
        is_told = not any(map(changed_text, solution.changes)) and _has_values(solution)
        verdict = RunVerdict.UNKNOWN
        if self.runs is not None and is_told:
            (verdict,) = self.runs.verdicts(self.paths[0], [edits])
        if verdict is RunVerdict.FAILED:
            return None
        if verdict is RunVerdict.AVOIDED and all(self._is_known(solution, k) for k in range(1, len(self.paths))):
            return replace(solution, judgement=Judgement(Standing.PASSES, PASSES))
        is_known = all(self._is_known(solution, k) for k in range(len(self.paths)))
        return replace(solution, judgement=Judgement(Standing.OPEN, NOT_RUN)) if is_known else None

    def _is_known(self, solution: Solution, number: int) -> bool:
        at, path = solution.left[number], self.paths[number]
        return at is None or path.instances[at].escapes or at in path.scope


def _key(c: StatementChange) -> object:
    return c.place, changed_text(c) or id(c)


def _change(solution: Solution, number: int, path: Path) -> ProgramChange:
    """The change of the program that a solution makes; values are those for one of the paths."""
    texts = [RewrittenStatement(c.place, text) for c in solution.changes if (text := changed_text(c))]
    edits = [
        PathEdit(k, BRANCH if which == CONDITION else path.instances[k].writes[which][0].name, value)
        for c in solution.changes
        if not changed_text(c)
        for (n, k, which), value in c.values.items()
        if n == number
    ]
    return ProgramChange(texts, edits)


def _has_values(solution: Solution) -> bool:
    """Whether what is changed without a text is known by its values: those of elements of maps are not told."""
    return all(changed_text(c) or len(c.values) == len(c.alternative.terms) for c in solution.changes)


def _of_runs(ends: set[ChangedRun], count: int) -> Judgement:
    if ends == {ChangedRun.PASSES}:
        return Judgement(Standing.PASSES, f"run with the same input{'s' if count > 1 else ''}, no check fails")
    if ChangedRun.OTHER_FAILURE in ends:
        return Judgement(Standing.FAILS, "run with the same inputs, another check fails")
    return Judgement(Standing.OPEN, NOT_RUN)


def _of_search(search: ChangedSearch, known: Judgement) -> Judgement:
    if search.holds is Answer.NO:
        values = ", ".join(f"{name} = {value}" for name, value in search.values.items())
        return Judgement(
            Standing.FAILS, f"line {search.line} can fail all the same{': ' if values else ''}{values} ({search.fails})"
        )
    if search.holds is Answer.UNKNOWN:
        return known
    where = "in all executions" if search.complete else f"up to bound {search.bound}"
    if not search.reaches_check:
        return Judgement(Standing.SILENCES, f"only silences the check, which no execution reaches any more {where}")
    return Judgement(Standing.HOLDS, f"holds {where}")
