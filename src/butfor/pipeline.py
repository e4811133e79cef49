"""From a recording to an explanation: find the failure, run the methods, rank."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.other_tests import OtherRun
from butfor.explanation import Explanation, Interrupted, RankedStatement, RunInfo, Status
from butfor.failures.crash import signal_name
from butfor.failures.find_failure import Verdict
from butfor.failures.reported_failure import reported_failure, verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.c.record_run import record, run_spec
from butfor.frontends.c.run_program import RunSpec
from butfor.marks import settle
from butfor.methods import registry
from butfor.methods.method import Budget, Case, Diagnosis
from butfor.methods.slice.run_slice import is_step
from butfor.options import Options
from butfor.ranking import rank
from butfor.run_story import Story
from butfor.story.debugger_stops import MOST_STOPS
from butfor.story.tell_story import tell
from butfor.tests_file import TestCase, read_tests
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.value_forwarding import Passing
from butfor.trace.log.columns import COLUMNS, EndReason
from butfor.trace.recording import Meta, Recording
from butfor.trace.replay.full_replay import check
from butfor.trace.view.source_places import Places

Progress = Callable[[str], None]
_STANDS_OUT = 0.6  # the score of the first statement from which on nothing more is tried
_ROUGH = (
    "the program is too large to follow all its pointers: of the decisions that could have assigned another value, "
    "some are named that could not, going by members and sizes alone"
)


def run_info(recording: Recording, analyse_seconds: float = 0.0) -> RunInfo:
    """The size and end of a run."""
    log, trace = recording.log, recording.trace
    instructions = steps = 0
    for number in np.flatnonzero(log.counts).tolist():
        count = int(log.counts[number])
        s = trace.static[number]
        instructions += (s.seg.end - s.seg.start) * count
        steps += sum(is_step(i) for i in s.fn.instrs[s.seg.start : s.seg.end]) * count
    end = log.end
    by_signal = end.reason in (EndReason.SIGNAL, EndReason.ASSERT)
    return RunInfo(
        args=recording.meta.args,
        instructions=instructions,
        steps=steps,
        record_seconds=round(recording.meta.seconds, 4),
        analyse_seconds=round(analyse_seconds, 4),
        exit_status=end.status if end.reason == EndReason.EXIT else None,
        signal=signal_name(end.status) if by_signal else None,
        extra={
            "stdout_bytes": (recording.home / "stdout").stat().st_size,
            "log_bytes": sum((recording.home / n).stat().st_size for n in COLUMNS),
        },
    )


def analyse(
    recording: Recording, options: Options, progress: Progress, others: tuple[OtherRun, ...] = ()
) -> Explanation:
    """The explanation of one recorded run; `others` are the other tests of the program."""
    start = time.perf_counter()
    budget = Budget(options.budget)
    usual = (*registry.DEFAULT, *(registry.WITH_TESTS if others else ()), registry.LAST_RESORT)
    localizers = [(name, registry.get(name)) for name in registry.wholes(options.methods or usual)]
    if options.expect_stdout is not None or options.expect_exit is not None:
        recording.meta = with_expectations(recording, options)
    places = Places(recording)
    dependence = Dependence(recording.trace)
    methods: dict[str, Any] = {}
    notes: list[str] = []
    if options.check:
        progress("replaying everything")
        methods["check"] = _checked(recording, notes)
    progress("looking for the failure")
    verdict = verdict_on(recording, places, dependence, options)
    info = run_info(recording)
    if verdict.failure is None:
        notes.insert(0, _nothing(verdict, info))
        return Explanation(
            Status.NO_FAILURE, _timed(info, start), notes=tuple(notes), methods=methods, sources=places.texts()
        )
    marks = settle(options, options.marks)
    notes += (
        f"there is no line {where} in the sources, so the mark there says nothing"
        for where in marks.unmatched(places.texts())
    )
    case = Case(recording, verdict.failure, dependence, places, options, budget, marks, others)
    diagnoses: list[Diagnosis] = []
    failure = reported_failure(verdict.failure, places)
    known = f"{failure.message} at {failure.file}:{failure.line}" if failure.file else failure.message
    interrupted = False

    def ranked() -> tuple[RankedStatement, ...]:
        return rank(diagnoses, places, marks, Passing(places, dependence).origins(case.slices["relevant"].distance))

    for name, localizer in localizers:
        if name == registry.LAST_RESORT and not options.methods and not others and _stands_out(ranked()):
            continue
        progress(f"method {name}; {known}")
        try:
            diagnosis = case.answers[name] = localizer(case)
        except KeyboardInterrupt:
            interrupted = True
            notes.append(f"interrupted in the method {name}: this is what was known by then")
            break
        diagnoses.append(diagnosis)
        methods.setdefault(registry.key_of(name), {}).update({**diagnosis.data, "complete": diagnosis.complete})
        notes += diagnosis.notes
    if dependence.potentials.is_rough:
        notes.append(_ROUGH)
    status = Status.EXPLAINED
    if interrupted:
        status = Status.PARTIAL
    elif case.budget.is_over() and not all(d.complete for d in diagnoses):
        status = Status.PARTIAL
        notes.append(
            f"the budget of {options.budget:g} s was used up: this is what was known by then (--budget gives more)"
        )
    elif not all(d.complete for d in diagnoses):
        notes.append("the slice is larger than was followed: the statements nearest to the failure are shown")
    ranking = ranked()
    answer = Explanation(
        status,
        _timed(info, start),
        failure,
        ranking,
        methods,
        tuple(dict.fromkeys(notes)),
        tuple(reported_failure(e, places) for e in verdict.memory),
        sources=places.texts(),
    )
    if interrupted:
        raise Interrupted(answer)
    return replace(answer, story=_story(case, ranking, progress)) if options.story else answer


def _stands_out(ranking: tuple[RankedStatement, ...]) -> bool:
    """Whether there is a statement with so much evidence that edits of the source need not be tried."""
    return any(row.score >= _STANDS_OUT for row in ranking[:1])


def _story(case: Case, ranking: tuple[RankedStatement, ...], progress: Progress) -> Story:
    progress("telling the run step by step")
    return tell(case, tuple((row.file, row.line, row.text) for row in ranking[:MOST_STOPS]))


def _timed(info: RunInfo, start: float) -> RunInfo:
    return replace(info, analyse_seconds=round(time.perf_counter() - start, 4))


def with_expectations(recording: Recording, options: Options) -> Meta:
    """The description of a recording with what the user expects of it now."""
    expected = options.expect_stdout
    meta = recording.meta
    return replace(
        meta,
        expect_stdout=meta.expect_stdout if expected is None else expected.decode("latin-1"),
        expect_exit=meta.expect_exit if options.expect_exit is None else options.expect_exit,
    )


def _checked(recording: Recording, notes: list[str]) -> dict[str, Any]:
    result = check(recording.trace)
    if result.mismatches:
        notes.append(
            f"butfor's own replay disagreed with the recording {result.mismatches} times: this is a defect of butfor, please report it"
        )
    return {
        "instructions": result.instructions,
        "loads": result.loads,
        "stores": result.stores,
        "branches": result.branches,
        "from_outside": result.from_outside,
        "mismatches": result.mismatches,
        "shown": tuple(result.shown),
    }


def _nothing(verdict: Verdict, info: RunInfo) -> str:
    if verdict.assumption_violated:
        return "the run ended at a violated assumption: there is no failure to explain"
    return f"the program did not fail: it {info.ending}"


def explain_tests(options: Options, program: Build, progress: Progress) -> Explanation:
    """The explanation of the failing tests of a list: the shortest failing run is analysed, all are listed."""
    assert options.tests is not None
    results: list[_Tested] = []
    shortest: tuple[int, Recording] | None = None
    for test in read_tests(options.tests):
        progress(f"test {test.name}")
        one = replace(
            options,
            args=test.args,
            stdin=test.stdin,
            expect_stdout=test.expect_stdout,
            expect_exit=test.expect_exit,
            tests=None,
        )
        one = replace(one, nondet=test.nondet or options.nondet)
        recording = record(one, program, lambda text: None)
        verdict = verdict_on(recording, Places(recording), Dependence(recording.trace), options)
        results.append(
            _Tested(
                test,
                run_spec(one),
                _test_row(test, recording, verdict),
                verdict.failure is not None,
                recording.log.counts > 0,
            )
        )
        if verdict.failure is not None and (shortest is None or len(recording.log) < len(shortest[1].log)):
            shortest = len(results) - 1, recording
    table = [r.row for r in results]
    if shortest is None:
        notes = (f"none of the {len(results)} tests failed",)
        return Explanation(Status.NO_FAILURE, notes=notes, extra={"tests": table})
    chosen, recording = shortest
    others = tuple(
        OtherRun(r.test.name, r.spec, r.test.expect_stdout, r.test.expect_exit, r.failed, r.covered)
        for k, r in enumerate(results)
        if k != chosen
    )
    answer = analyse(recording, replace(options, tests=None), progress, others)
    failing = sum(r.failed for r in results)
    note = f"{failing} of {len(results)} tests fail; the shortest failing run, test {results[chosen].test.name!r}, is explained"
    return replace(answer, notes=(note, *answer.notes), extra={**answer.extra, "tests": table})


@dataclass(frozen=True, slots=True)
class _Tested:
    test: TestCase
    spec: RunSpec
    row: dict[str, Any]
    failed: bool
    covered: NDArray[np.bool_]


def _test_row(test: TestCase, recording: Recording, verdict: Verdict) -> dict[str, Any]:
    failure = verdict.failure
    shown = None if failure is None else reported_failure(failure, Places(recording)).to_dict()
    return {"name": test.name, "passed": failure is None, "failure": shown}
