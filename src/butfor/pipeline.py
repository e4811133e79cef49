"""From a recording to an explanation: find the failure, run the methods, rank."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ask_methods import METHODS_SHARE, arranged, ask_methods, chosen_methods, ranked
from butfor.counterfactual.rerun import OtherTest
from butfor.explanation import Explanation, Interrupted, RankedStatement, RunInfo, Status
from butfor.failures.crash import signal_name
from butfor.failures.find_failure import Verdict, reported_failure, verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import record, run_spec
from butfor.frontends.c.run_program import RunSpec
from butfor.marks import settle
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.method import Subject
from butfor.methods.other_failing_tests import MAX_OTHER_RUNS
from butfor.options import Options
from butfor.origins.failure_ladder import failure_ladder
from butfor.ranking.finding import WeighedDiagnosis
from butfor.run_story import Story
from butfor.story.debugger_stops import MAX_STOPS
from butfor.story.tell_story import tell_story
from butfor.tests_file import TestCase, read_tests
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.potential_dependence import PotentialDependence
from butfor.trace.log.columns import EndReason
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording import Recording
from butfor.trace.replay.full_replay import check_recording
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import is_step

Progress = Callable[[str], None]
Known = Callable[[Explanation], None]  # is shown what is known before the methods are asked
MAX_KEPT_RECORDINGS = MAX_OTHER_RUNS + 1  # of failing tests: one is explained, and methods look at some others
_POINTERS_SHARE = 0.15  # of the budget, for the points-to analysis: then members and sizes have to do
_IMPRECISE_POINTERS = (
    "the program is too large to follow all its pointers: of the decisions that could have assigned another value, "
    "some are named that could not, going by members and sizes alone"
)


def instructions_in(recording: Recording, counts: NDArray[np.int64]) -> int:
    """The instructions of segments that ran so often."""
    static = recording.trace.static
    return sum(
        int(counts[number]) * (static[number].seg.end - static[number].seg.start)
        for number in np.flatnonzero(counts).tolist()
    )


def run_info(recording: Recording, analyse_seconds: float = 0.0) -> RunInfo:
    """The size and end of a run."""
    log, trace = recording.log, recording.trace
    steps = 0
    for number in np.flatnonzero(log.counts).tolist():
        count = int(log.counts[number])
        s = trace.static[number]
        steps += sum(is_step(i) for i in s.fn.instrs[s.seg.start : s.seg.end]) * count
    end = log.end
    by_signal = end.reason in (EndReason.SIGNAL, EndReason.ASSERT)
    return RunInfo(
        args=recording.meta.args,
        instructions=instructions_in(recording, log.counts),
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


def unshown(beginning: Explanation) -> None:
    """Show nobody what is known so far."""


def analyse(
    recording: Recording,
    options: Options,
    progress: Progress,
    others: tuple[OtherTest, ...] = (),
    known: Known = unshown,
) -> Explanation:
    """The explanation of one recorded run; `others` are the other tests of the program.

    `known` gets the beginning of the answer as soon as it is there, the failure and what led to it, and then the causes
    as the methods find them.
    """
    start = time.perf_counter()
    budget = Budget(options.budget)
    asked = chosen_methods(options, Subject.RUN, with_tests=bool(others))
    recording = recording.with_expectations(options.expect_stdout, options.expect_exit)
    places = Places(recording)
    dependence = Dependence(recording.trace, _POINTERS_SHARE * options.budget)
    methods: dict[str, Any] = {}
    notes = list(_dropped_note(recording))
    if options.check:
        progress("replaying everything")
        methods["check"] = _checked(recording, notes)
    progress("looking for the failure")
    verdict = verdict_on(recording, places, dependence, options, options.trust)
    info = run_info(recording)
    if verdict.failure is None:
        notes.insert(0, _no_failure_note(verdict, info))
        return Explanation(
            Status.NO_FAILURE, _timed(info, start), notes=tuple(notes), methods=methods, sources=places.texts()
        )
    marks = settle(options, options.marks)
    if recording.meta.coverage:
        notes.append(recording.meta.coverage)
    notes += (
        f"there is no line {where} in the sources, so the mark there says nothing"
        for where in marks.unmatched(places.texts())
    )
    case = FailingRun(recording, verdict.failure, dependence, places, options, budget, marks, others)
    failure = reported_failure(verdict.failure, places)
    ladder = failure_ladder(places, dependence, verdict.failure, case.steps)
    survived = tuple(reported_failure(e, places) for e in verdict.memory)
    beginning = Explanation(
        Status.PARTIAL, info, failure, memory_errors=survived, sources=places.texts(), ladder=ladder
    )
    known(beginning)
    what = f"{failure.message} at {failure.file}:{failure.line}" if failure.file else failure.message

    def told(diagnoses: Sequence[WeighedDiagnosis]) -> None:
        if known is not unshown:
            known(replace(beginning, ranking=ranked(case, diagnoses)))

    answers = ask_methods(case, asked, lambda name: progress(f"method {name}; {what}"), told)
    notes += answers.notes
    notes += _static_limits(dependence.potential_dependence)
    status = Status.EXPLAINED
    if answers.interrupted:
        status = Status.PARTIAL
    elif answers.late:
        status = Status.PARTIAL
        is_all_used = budget.left <= (1 - METHODS_SHARE) * budget.seconds
        notes.append(_out_of_time(options.budget, () if is_all_used else answers.late))
    elif answers.gave_up:
        status = Status.PARTIAL
    elif answers.unexplained_gaps:
        names = " and ".join(answers.unexplained_gaps)
        notes.append(f"{names} did not follow everything: what is nearest to the failure is shown")
    with budget.limited_to(0.0 if answers.late else budget.left):
        ranking = ranked(case, answers.diagnoses)
    answer = Explanation(
        status,
        _timed(info, start),
        failure,
        ranking,
        {**methods, **arranged(asked, answers.data, ranking)},
        tuple(dict.fromkeys(notes)),
        survived,
        sources=places.texts(),
        ladder=ladder,
    )
    if answers.interrupted:
        raise Interrupted(answer)
    return replace(answer, story=_story(case, ranking, progress)) if options.story else answer


def _static_limits(potential: PotentialDependence) -> Iterator[str]:
    """What the static analysis of the program left out, in words."""
    if potential.is_imprecise:
        yield _IMPRECISE_POINTERS
    if potential.left_out:
        yield (
            f"{potential.left_out:,} functions that the run did not come near were not looked into: of the decisions "
            "that could have assigned another value, those are missing that would have called them to do so"
        )


def _out_of_time(seconds: float, methods: Sequence[str]) -> str:
    """That the budget was used up, or the shares of some methods in it."""
    used = f"the share of {' and '.join(methods)} in the budget" if methods else "the budget"
    return f"{used} of {seconds:g} s was used up: this is what was known by then (--budget gives more)"


def _story(case: FailingRun, ranking: tuple[RankedStatement, ...], progress: Progress) -> Story:
    progress("telling the run step by step")
    return tell_story(case, tuple((row.file, row.line, row.text) for row in ranking[:MAX_STOPS]))


def _timed(info: RunInfo, start: float) -> RunInfo:
    return replace(info, analyse_seconds=round(time.perf_counter() - start, 4))


def _checked(recording: Recording, notes: list[str]) -> dict[str, Any]:
    result = check_recording(recording.trace)
    if result.mismatches:
        notes.append(
            f"butfor's own replay disagreed with the recording {result.mismatches} times: "
            "this is a defect of butfor, please report it"
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


def _dropped_note(recording: Recording) -> Iterator[str]:
    """What the log does not hold, if its beginning was dropped."""
    if recording.meta.dropped:  # to count instructions is to read all functions that ran
        log = recording.log
        before, kept = instructions_in(recording, log.dropped), instructions_in(recording, log.counts)
        yield (
            f"only the last {kept:,} instructions of the run are recorded, not the {before:,} before them"
            " (--log-limit and --record-last say how much is kept)"
        )


def _no_failure_note(verdict: Verdict, info: RunInfo) -> str:
    if verdict.assumption_violated:
        return "the run ended at a violated assumption: there is no failure to explain"
    return f"the program did not fail: it {info.ending}"


def explain_tests(options: Options, program: Build, progress: Progress, known: Known = unshown) -> Explanation:
    """The explanation of the failing tests of a list: the shortest failing run is analysed, all are listed."""
    assert options.tests is not None
    results: list[_TestResult] = []
    shortest: tuple[int, Recording] | None = None
    kept = 0
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
            _TestResult(
                test,
                run_spec(one),
                _test_row(test, recording, verdict),
                verdict.failure is not None,
                recording.log.counts > 0,
                recording if verdict.failure is not None and kept < MAX_KEPT_RECORDINGS else None,
            )
        )
        kept += results[-1].recording is not None
        if verdict.failure is not None and (shortest is None or len(recording.log) < len(shortest[1].log)):
            shortest = len(results) - 1, recording
    table = [r.row for r in results]
    if shortest is None:
        notes = (f"none of the {len(results)} tests failed",)
        return Explanation(Status.NO_FAILURE, notes=notes, extra={"tests": table})
    chosen, recording = shortest
    others = tuple(
        OtherTest(r.test.name, r.spec, r.test.expect_stdout, r.test.expect_exit, r.failed, r.covered, r.recording)
        for k, r in enumerate(results)
        if k != chosen
    )
    answer = analyse(recording, replace(options, tests=None), progress, others, known)
    failing = sum(r.failed for r in results)
    note = (
        f"{failing} of {len(results)} tests fail; "
        f"the shortest failing run, test {results[chosen].test.name!r}, is explained"
    )
    return replace(answer, notes=(note, *answer.notes), extra={**answer.extra, "tests": table})


@dataclass(frozen=True, slots=True)
class _TestResult:
    test: TestCase
    spec: RunSpec
    row: dict[str, Any]
    failed: bool
    covered: NDArray[np.bool_]
    recording: Recording | None


def _test_row(test: TestCase, recording: Recording, verdict: Verdict) -> dict[str, Any]:
    failure = verdict.failure
    shown = None if failure is None else reported_failure(failure, Places(recording)).to_dict()
    return {"name": test.name, "passed": failure is None, "failure": shown}
