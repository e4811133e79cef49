"""Repairs of a failing run: validated edits of the statements that the other methods suspect."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from butfor.counterfactual.rerun import MAX_FAILING_TESTS as MAX_FAILING_TESTS_PER_CHANGE
from butfor.counterfactual.rerun import goal_of_run, recorded_spec
from butfor.counterfactual.run_goal import Goal
from butfor.errors import ButforError
from butfor.frontends.c.c_frontend import build_spec
from butfor.frontends.c.whole_programs.source_build import spec_of_binary
from butfor.frontends.program_kinds import BINARY, RECORDING
from butfor.methods.case import FailingRun
from butfor.methods.method import Earlier
from butfor.methods.repair import slip_library
from butfor.methods.repair.edit_findings import repair_findings
from butfor.methods.repair.on_paths.path_repair import NO_SOLUTIONS, PathSolutions, solutions_of_runs
from butfor.methods.repair.on_paths.solution_model import RepairSettings
from butfor.methods.repair.on_paths.solution_patches import merged_proposals
from butfor.methods.repair.patched_program import ProgramSources
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.repair_search import RepairSearch
from butfor.methods.repair.silencing_edits import failed_statement
from butfor.methods.repair.trial_runs import Test, Trials
from butfor.options import RunOptions
from butfor.ranking.finding import Diagnosis
from butfor.ranking.rank import rank
from butfor.trace.view.source_places import Place

MAX_UNASKED_SHARE = 0.4  # of the budget, where nobody asked for repairs and no tests judge them
MAX_UNASKED_SOURCE_BYTES = 300_000  # where nobody asked: larger sources take too long to compile again and again
PATH_SEARCH_SHARE = 0.15  # of the time left, for the search on the failing paths
TRYING_SHARE = 0.6  # of the time left, for trying proposals on the failing run; validation takes the rest
MAX_FAILING_TESTS = 8 * MAX_FAILING_TESTS_PER_CHANGE  # a repair runs on more tests than a change does: few get that far
MAX_PASSING_TESTS = 200  # each costs a run of every proposal that gets that far


def repairs_of_run(case: FailingRun, earlier: Earlier, settings: RepairSettings) -> Diagnosis:
    """The repairs that were found, and the statements they change; a program that cannot be patched is a note."""
    if (
        not case.options.sources
        or any(not s.exists() for s in case.options.sources)
        or RECORDING.has(case.options.sources[0])
    ):
        return _no_repairs(
            "repairs need the source files, which a recording does not bring to where the compiler looks for them"
        )
    try:
        return _search(case, earlier, settings)
    except ButforError as e:
        return _no_repairs(f"no repair was tried: {e.message}")


def _no_repairs(why: str) -> Diagnosis:
    return Diagnosis((), {"repairs": [], "solutions": [], "skipped": why}, notes=(why,))


def _search(case: FailingRun, earlier: Earlier, settings: RepairSettings) -> Diagnosis:
    options, recording = case.options, case.recording
    sources = _sources(case)
    size = sum(map(len, sources.texts().values()))
    is_asked = bool(options.methods)
    if not is_asked and size > MAX_UNASKED_SOURCE_BYTES:
        return _no_repairs(f"edits of the source were not tried: it has {size >> 10:,} KB (`butfor repair` tries them)")
    proposer = Proposer(case.places, slip_library.load_library(settings.annotations), tuple(sources.paths.values()))
    usual = proposer.proposals(suspects(case, earlier))
    start = time.monotonic()
    end = case.budget.end
    if not is_asked and not case.others:
        end = min(end, start + MAX_UNASKED_SHARE * case.budget.seconds)
    # The search on paths takes seconds, and what it synthesises for one run proves little: some value always helps.
    on_paths = (
        solutions_of_runs(
            case,
            proposer,
            PATH_SEARCH_SHARE * (end - start),
            case.may_be_changed,
            settings.traces,
            settings.search,
        )
        if is_asked
        else PathSolutions(NO_SOLUTIONS)
    )
    failed = failed_statement(case, proposer)
    proposals = [
        replace(p, silences=failed is not None and failed.is_silenced_by(p))
        for p in merged_proposals(usual, on_paths.proposals)
    ]
    start = time.monotonic()
    trying_end = start + TRYING_SHARE * (end - start)
    cwd = recording.meta.folder if os.path.isdir(recording.meta.folder) else None
    with Trials(recording.meta.invoked_as, cwd, lambda: time.monotonic() >= end, is_thorough=is_asked) as trials:
        search = RepairSearch(
            sources,
            _tests(case),
            trials,
            _run_options(case),
            recording.meta.seconds,
            case.point.is_survivable,
            lambda: time.monotonic() >= trying_end,
        )
        found = search.repairs(proposals)
    texts = {path: sources.text(path) for path in sources.paths}
    shown = {path: case.places.shown(path) for path in sources.paths}
    data: dict[str, Any] = {
        "repairs": [r.to_dict(texts, shown) for r in found],
        "solutions": on_paths.judged(search.run, search.survivors).rows,
        "solutions_complete": on_paths.found.complete,
        "proposals": len(proposals),
        "tried": search.tried,
        "runs": trials.runs,
    }
    notes = (*dict.fromkeys(search.notes), *proposer.skipped, *((on_paths.note,) if on_paths.note else ()))
    if search.untried:
        notes = (
            f"{search.untried:,} of {len(proposals):,} edits were not tried for lack of time (--budget gives more)",
            *notes,
        )
    if not found:
        notes = (
            f"none of {search.tried:,} edits of one statement is a repair: "
            "several statements may be wrong, or something larger is missing",
            *notes,
        )
    # confirmed repairs were recorded, so that they do not merely survive a memory error
    telling = search.survivors if search.is_judged else found
    findings = repair_findings(telling, gives_output=recording.meta.expect_stdout is not None)
    return Diagnosis(findings, data, not search.untried or not case.budget.is_over(), notes)


def suspects(case: FailingRun, earlier: Earlier) -> list[Place]:
    """The statements of the failing run, the most suspicious first."""
    diagnoses = tuple(earlier.values())
    known = {(f.place.file, f.place.line, f.place.column, f.place.text): f.place for d in diagnoses for f in d.findings}
    rows = rank(diagnoses, case.places, case.marks, case.forwarded)
    found: dict[Place, None] = {}
    for row in rows:
        found[known[row.file, row.line, row.column, row.text]] = None
    for place in known.values():
        found.setdefault(place)
    for place in _executed(case):
        found.setdefault(place)
    return [p for p in found if case.may_be_changed(p)]


def _executed(case: FailingRun) -> list[Place]:
    """All statements of the failing run."""
    segments = np.flatnonzero(case.recording.log.counts > 0).tolist()
    return list(dict.fromkeys(place for number in segments for place in case.statements_of_segment(number)))


def _sources(case: FailingRun) -> ProgramSources:
    first = case.options.sources[0]
    spec = spec_of_binary(first, case.options.cc) if BINARY.has(first) else build_spec(case.options)
    paths, trees = {}, {}
    recorded: dict[Path, list[str]] = {}
    for path in case.recording.meta.sources:
        recorded.setdefault(Path(path).absolute(), []).append(path)
    for given in spec.sources:
        for path in recorded.get(given.absolute(), ()):
            tree = case.places.tree(path)
            if tree is not None:
                paths[path], trees[path] = given, tree
    return ProgramSources(spec, paths, trees, case.options.arithmetic_errors)


def _run_options(case: FailingRun) -> RunOptions:
    """The options of the recorded run, which may be one of several tests."""
    meta = case.recording.meta
    expected = None if meta.expect_stdout is None else meta.expect_stdout.encode("latin-1")
    stdin = recorded_spec(case.recording).stdin
    return replace(
        case.options, tests=None, args=meta.args, stdin=stdin, expect_stdout=expected, expect_exit=meta.expect_exit
    )


def _tests(case: FailingRun) -> list[Test]:
    """The recorded run and the other tests."""
    tests = [Test(recorded_spec(case.recording), goal_of_run(case.recording, case.point, None), True)]
    failing = [run for run in case.others if run.failed]
    passing = [run for run in case.others if not run.failed][:MAX_PASSING_TESTS]
    for run in (*failing[:MAX_FAILING_TESTS], *passing):
        whole = run.expect_stdout is not None
        status = run.expect_exit if whole or run.expect_exit is not None else 0
        tests.append(Test(run.spec, Goal(run.expect_stdout or b"", whole, status), run.failed, run.name))
    return tests
