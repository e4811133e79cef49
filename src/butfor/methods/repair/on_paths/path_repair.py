"""Proof-guided diagnosis of failing paths: changes of statements that avoid the failures."""

from __future__ import annotations

import pathlib as files
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from butfor.errors import ButforError
from butfor.ir.intervals.proved_facts import Interval, StaticFacts
from butfor.ir.intervals.whole_program import analyse
from butfor.ir.program import Program
from butfor.methods.case import Budget, FailingPath, FailingRun
from butfor.methods.other_failing_tests import other_paths
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths import c_alternatives, term_alternatives
from butfor.methods.repair.on_paths.changed_path import ChangedPathRunner, PathEnd
from butfor.methods.repair.on_paths.path_checks import without_failing_assumptions
from butfor.methods.repair.on_paths.solution_model import MinedFacts, SolutionOptions, Solutions
from butfor.methods.repair.on_paths.solution_patches import solution_findings, solution_proposals, solution_row
from butfor.methods.repair.on_paths.solution_search import solutions
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.repair_model import Proposal
from butfor.path.path_model import Path
from butfor.ranking.finding import Diagnosis
from butfor.trace.view.source_places import Place, Places

MAX_OTHER_PATHS = 3  # of other failing tests
# shares of the time; the search gets what the others leave, and its own share in any case
OTHER_PATHS_SHARE, ANALYSIS_SHARE, READING_SHARE, MIN_SEARCH_SHARE = 0.25, 0.15, 0.25, 0.35
MAX_INSTANCES = 1_500  # of all paths: for longer ones the solver rarely answers in time
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


def solutions_of_runs(
    case: FailingRun,
    proposer: Proposer,
    seconds: float,
    may_be_changed: Callable[[Place], bool],
    options: SolutionOptions | None = None,
) -> PathSolutions:
    """The solutions for a failing run and the other failing tests; a run without a path has none, and a note."""
    budget = Budget(seconds)
    try:
        others = other_paths(
            replace(case, budget=Budget(OTHER_PATHS_SHARE * seconds)), free=False, most=MAX_OTHER_PATHS
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
        return PathSolutions(solutions(trusting, known, left.is_over, options, facts), tuple(trusting))
    except ButforError as e:
        return PathSolutions(NO_SOLUTIONS, (), f"the failing path was not searched for repairs: {e.message}")


def mined_facts(case: FailingRun, is_over: Callable[[], bool]) -> MinedFacts:
    """The facts of the static analysis about the statements of a program."""
    program = case.recording.program
    return _by_statement(analyse(program, is_over), program, case.places)


def solutions_of_path(case: FailingPath, annotations: files.Path | None) -> Diagnosis:
    """The solutions for a failing path of a program that is not run; no patch is tried."""
    paths = _usable([_trusting(case.path, case.may_be_changed)])
    if not paths:
        return Diagnosis((), {"repairs": [], "solutions": []}, complete=False)
    known = term_alternatives.alternatives(paths, slip_library.load_library(annotations))
    found = solutions(paths, known, case.budget.is_over)
    data = {"repairs": [], "solutions": PathSolutions(found, tuple(paths)).rows}
    return Diagnosis(solution_findings(found), data, found.complete or bool(found.found))


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


def _by_statement(facts: StaticFacts, program: Program, places: Places) -> MinedFacts:
    """The facts by statement; the values of a statement with several stores are bounded by the hull of all bounds."""
    allowed: dict[Place, tuple[int | None, int | None]] = {}
    for name in {function for function, _ in facts.allowed}:
        fn = program.function(name)
        stores: dict[Place, list[Interval | None]] = {}
        for instr in fn.instrs:
            place = places.of_instr(fn, instr) if instr.op == "store" else None
            if place is not None:
                stores.setdefault(place, []).append(facts.allowed.get((name, instr.index)))
        for place, bounds in stores.items():
            known = [b for b in bounds if b is not None]
            if known and len(known) == len(bounds):
                allowed[place] = _hull(known)
    trusted = set()
    for name, index in facts.trusted:
        fn = program.function(name)
        place = places.of_instr(fn, fn.instrs[index])
        if place is not None:
            trusted.add(place)
    return MinedFacts(allowed, frozenset(trusted))


def _hull(bounds: list[Interval]) -> tuple[int | None, int | None]:
    lows, highs = [b.low for b in bounds], [b.high for b in bounds]
    low = None if None in lows else min(x for x in lows if x is not None)
    high = None if None in highs else max(x for x in highs if x is not None)
    return low, high
