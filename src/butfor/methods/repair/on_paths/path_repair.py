"""Proof-guided diagnosis of failing paths: changes of statements that avoid the failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from butfor.errors import ButforError
from butfor.methods.budget import Budget
from butfor.methods.case import FailingPath, FailingRun
from butfor.methods.other_failing_tests import other_paths
from butfor.methods.proofs.mined_facts import MinedFacts, mined_facts
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths import c_alternatives, term_alternatives
from butfor.methods.repair.on_paths.changed_path import ChangedPathRunner, PathEnd
from butfor.methods.repair.on_paths.judged_solutions import NOT_RUN, RunJudge, SolutionJudge
from butfor.methods.repair.on_paths.path_checks import without_failing_assumptions
from butfor.methods.repair.on_paths.solution_model import (
    Judgement,
    RepairSettings,
    SolutionOptions,
    Solutions,
    Standing,
)
from butfor.methods.repair.on_paths.solution_patches import (
    edits_of,
    solution_findings,
    solution_proposals,
    solution_row,
)
from butfor.methods.repair.on_paths.solution_search import is_only_run, solutions
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.repair_model import Proposal, Repair
from butfor.path.path_model import Path
from butfor.ranking.finding import Diagnosis
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

# shares of the time; the search gets what the others leave, and its own share in any case
OTHER_PATHS_SHARE, ANALYSIS_SHARE, READING_SHARE, MIN_SEARCH_SHARE = 0.25, 0.15, 0.25, 0.35
PATH_SEARCH_SHARE = 0.7  # of the time left, of a program that is searched with each solution
MAX_INSTANCES = 24_000  # of all paths: for longer ones even to run them with a few changes takes too long
_ONLY_RUN = "the failing path is long: of the changes along it, only those of one statement were tried, by running it"
NO_SOLUTIONS = Solutions((), complete=False)


@dataclass(frozen=True, slots=True)
class PathSolutions:
    """The solutions of a search, the paths that they are for, and a note on why there are none."""

    found: Solutions
    paths: tuple[Path, ...] = ()
    note: str = ""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The solutions in the JSON report."""
        return [solution_row(s, self.paths) for s in self.found.found]

    @property
    def proposals(self) -> list[Proposal]:
        """The solutions that are edits."""
        return solution_proposals(self.found)

    def judged(self, run: Collection[tuple[Edit, ...]], survivors: Iterable[Repair]) -> PathSolutions:
        """The solutions with what runs of the patched program say of them, without those with which it still fails.

        `run` are the edits that were run, `survivors` those with which the failing run passed.
        """
        passing = {r.proposal.edits: r for r in survivors}
        rows = []
        for s in self.found.found:
            edits = edits_of(s)
            if edits in passing:
                rows.append(replace(s, judgement=_of_repair(passing[edits])))
            elif edits not in run:
                rows.append(s if s.judgement.words else replace(s, judgement=Judgement(Standing.OPEN, NOT_RUN)))
        return replace(self, found=replace(self.found, found=tuple(sorted(rows, key=lambda s: s.key))))


def solutions_of_runs(
    case: FailingRun,
    proposer: Proposer,
    seconds: float,
    may_be_changed: Callable[[Place], bool],
    traces: int,
    options: SolutionOptions | None = None,
) -> PathSolutions:
    """The solutions for a failing run and the other failing tests; a run without a path has none, and a note."""
    budget = Budget(seconds)
    try:
        others = other_paths(
            replace(case, budget=Budget(OTHER_PATHS_SHARE * seconds)), free=False, most=max(traces - 1, 0)
        )
        paths = _usable([case.path, *(p for _, p in others)])
        if not paths:
            return PathSolutions(
                NO_SOLUTIONS,
                (),
                "the failing path could not be searched for repairs: too much of it is not known, or it is too long",
            )
        trusting = [_trusting(p, may_be_changed) for p in paths]
        known = c_alternatives.alternatives(proposer, trusting, Budget(READING_SHARE * seconds).is_over)
        facts = mined_facts(case, Budget(ANALYSIS_SHARE * seconds).is_over)
        left = Budget(max(budget.end - time.monotonic(), MIN_SEARCH_SHARE * seconds))
        with case.changed_runs() as runs:
            accepts = RunJudge(runs, trusting).accepts
            found = solutions(trusting, known, left.is_over, options, facts, accepts=accepts)
        return PathSolutions(found, tuple(trusting), _ONLY_RUN if is_only_run(trusting) else "")
    except ButforError as e:
        return PathSolutions(NO_SOLUTIONS, (), f"the failing path was not searched for repairs: {e.message}")


def _of_repair(r: Repair) -> Judgement:
    standing = Standing.SILENCES if r.proposal.silences else Standing.PASSES if r.is_complete else Standing.FAILS
    return Judgement(standing, r.label)


def solutions_of_path(case: FailingPath, settings: RepairSettings) -> Diagnosis:
    """The solutions for failing paths of a program that is searched; each is judged by the program."""
    given = (case.path, *case.others)[: max(settings.traces, 1)]
    paths = _usable([_trusting(path, case.may_be_changed) for path in given])
    if not paths:
        return Diagnosis((), {"repairs": [], "solutions": []}, complete=False)
    known = term_alternatives.alternatives(paths, slip_library.load_library(settings.annotations))
    if case.program is None:
        found = solutions(paths, known, case.budget.is_over, settings.search)
    else:
        judge = SolutionJudge(case.program, paths)
        share = Budget(PATH_SEARCH_SHARE * (case.budget.end - time.monotonic()))
        facts = case.program.facts(Budget(ANALYSIS_SHARE * share.seconds).is_over)
        mined = MinedFacts(facts.allowed, facts.trusted)
        found = solutions(paths, known, share.is_over, settings.search, mined, accepts=judge.accepts)
        found = judge.searched(found, lambda: case.budget.end - time.monotonic())
    data = {"repairs": [], "solutions": PathSolutions(found, tuple(paths)).rows, "solutions_complete": found.complete}
    return Diagnosis(solution_findings(found), data, found.complete)


def _usable(paths: Sequence[Path]) -> list[Path]:
    """The paths up to the first one that does not fail when its terms are evaluated, or that is too long."""

    def fit() -> Iterator[Path]:
        length = 0
        for path in paths:
            length += len(path.instances)
            if (
                length > MAX_INSTANCES
                or ChangedPathRunner(without_failing_assumptions(path)).run({}, {}).end is not PathEnd.FAILS
            ):
                return
            yield path

    return list(fit())


def _trusting(path: Path, may_be_changed: Callable[[Place], bool]) -> Path:
    """The path with the statements trusted that may not be changed."""
    return replace(
        path, instances=tuple(i if may_be_changed(i.place) else replace(i, trusted=True) for i in path.instances)
    )
