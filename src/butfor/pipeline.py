"""From a recording to an explanation: find the failure, run the methods, rank."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.rerun import OtherTest
from butfor.explanation import Explanation, Interrupted, RankedStatement, RunInfo, Status
from butfor.failures.crash import signal_name
from butfor.failures.find_failure import Verdict, reported_failure, verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import record, run_spec
from butfor.frontends.c.run_program import RunSpec
from butfor.marks import settle
from butfor.methods import registry
from butfor.methods.budget import Budget, MemoryIsUp, TimeIsUp, stopped_at
from butfor.methods.case import Case, FailingPath, FailingRun
from butfor.methods.method import Method, Subject, When
from butfor.options import Options
from butfor.origins.failure_ladder import failure_ladder
from butfor.ranking.finding import Diagnosis, WeighedDiagnosis
from butfor.ranking.rank import rank
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
from butfor.trace.trace import UnknownValue
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import is_step

Progress = Callable[[str], None]
Known = Callable[[Explanation], None]  # is shown what is known before the methods are asked
_METHODS_SHARE = 0.9  # of the budget: the methods are to be done by then, for ranking and reports take time too
_STOP_SHARE = 0.97  # of the budget: a method that does not look at the clock is ended then
_POINTERS_SHARE = 0.15  # of the budget, for the points-to analysis: then members and sizes have to do
_UNASKED_SHARE = 0.5  # of the usual share
_MIN_SHARE = 0.1  # of the budget, for the methods of a run whose failure took all the time to find
_MIN_SECONDS = 0.4  # the same for tiny budgets: the first method has something to say by then
STANDS_OUT_SCORE = 0.6  # of the first statement, from which on edits of the source need not be tried
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


@dataclass(frozen=True, slots=True)
class Answers:
    """What the methods said about one failure."""

    diagnoses: tuple[WeighedDiagnosis, ...]
    data: Mapping[str, Any]  # the part of each method in the report
    notes: tuple[str, ...]
    late: tuple[str, ...] = ()  # methods whose time was up before they were done
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether every method came to its end."""
        return all(d.diagnosis.complete for d in self.diagnoses)

    @property
    def unexplained_gaps(self) -> tuple[str, ...]:
        """The methods that did not come to their end, and do not say why."""
        return tuple(d.method for d in self.diagnoses if not (d.diagnosis.complete or d.diagnosis.notes))


def chosen_methods(options: Options, subject: Subject, *, with_tests: bool = False) -> tuple[Method, ...]:
    """The methods that the user named, or the default ones, each after those whose answers it uses."""
    names = options.methods or registry.by_default(subject, with_tests=with_tests, last_resort=True)
    for method, key, text in options.method_options:
        registry.method_class(method).option(key, text)  # also of a method that is not used
    return tuple(registry.make(name, subject, options) for name in registry.in_order(names))


def ask_methods(case: Case, methods: Sequence[Method], progress: Callable[[str], None]) -> Answers:
    """The answers of the methods, in their order. Ctrl-C and the end of the time keep the answers until then."""
    inquiry = _Inquiry(case, methods, progress)
    budget = case.budget
    least = time.monotonic() + max(_MIN_SHARE * budget.seconds, _MIN_SECONDS)
    stop = max(budget.end - (1 - _STOP_SHARE) * budget.seconds, least)
    try:
        with stopped_at(stop), budget.limited_to(budget.left - (1 - _METHODS_SHARE) * budget.seconds):
            inquiry.ask_all()
    except TimeIsUp:
        inquiry.late += [method.name for method in methods if method.name not in inquiry.done]
    return inquiry.answers


class _Inquiry:
    """The methods being asked one after the other; each has its share of the time, and what it leaves goes on."""

    def __init__(self, case: Case, methods: Sequence[Method], progress: Callable[[str], None]) -> None:
        self.case, self.methods, self.progress = case, methods, progress
        self.done: dict[str, WeighedDiagnosis | None] = {}  # None: without an answer
        self.late: list[str] = []
        self._known: dict[str, WeighedDiagnosis] = {}  # also of methods that only others need
        self._notes: list[str] = []
        self._interrupted = False

    @property
    def answers(self) -> Answers:
        """What was said so far."""
        told = {name: answer for name, answer in self.done.items() if answer is not None}
        data: dict[str, Any] = {}
        for name, answer in told.items():
            part = data.setdefault(registry.report_key(name), {})
            part.update({**answer.diagnosis.data, "complete": answer.diagnosis.complete})
        notes = (*(note for answer in told.values() for note in answer.diagnosis.notes), *self._notes)
        missing = [name for name in self.late if name not in told]
        if missing:
            notes = (*notes, f"no time was left for: {', '.join(missing)}")
        return Answers(tuple(told.values()), data, notes, tuple(self.late), self._interrupted)

    def ask_all(self) -> None:
        """Ask every method, until the time is up or the user has had enough."""
        for k, method in enumerate(self.methods):
            told = [answer for answer in self.done.values() if answer is not None]
            if _is_superfluous(method, self.case, told):
                self.done[method.name] = None
                continue
            if k and self.case.budget.is_over():
                self.late.append(method.name)
                continue
            try:
                with self.case.budget.limited_to(self._share(k)):
                    self._ask(method)
            except KeyboardInterrupt:
                self._notes.append(f"interrupted in the method {method.name}: this is what was known by then")
                self._interrupted = True
                return
            except (MemoryIsUp, MemoryError):
                self._notes.append(f"the method {method.name} needed too much memory, so its answer is missing")
                self.done[method.name] = None

    def _ask(self, method: Method) -> None:
        """Ask one method, and before it those that it needs."""
        subject = Subject.PATH if isinstance(self.case, FailingPath) else Subject.RUN
        for name in (*method.needs.get(subject, ()), method.name):
            if name not in self._known:
                self.progress(name)
                asked = method if name == method.name else registry.make(name, subject, self.case.options)
                self._known[name] = _answer(asked, self.case, self._known)
        answer = self.done[method.name] = self._known[method.name]
        if self.case.budget.is_over() and not answer.diagnosis.complete:
            self.late.append(method.name)

    def _share(self, k: int) -> float:
        """The seconds for a method: its part of what is left."""
        return self.case.budget.left * self._weight(self.methods[k]) / sum(map(self._weight, self.methods[k:]))

    def _weight(self, method: Method) -> float:
        """The share of a method; a last resort that nobody asked for is rarely needed."""
        is_unasked = method.on_runs is When.LAST_RESORT and not self.case.options.methods
        return method.share * (_UNASKED_SHARE if is_unasked else 1.0)


def _answer(method: Method, case: Case, known: Mapping[str, WeighedDiagnosis]) -> WeighedDiagnosis:
    """The answer of one method, which sees those answers that it declares to need or to use."""
    declared = (*method.uses, *(name for names in method.needs.values() for name in names))
    earlier = {name: known[name] for name in declared if name in known}
    if isinstance(case, FailingPath):
        diagnosis = method.explain_path(case, earlier)
    else:
        diagnosis = _explained_run(method, case, earlier)
    return WeighedDiagnosis(method.name, method.weighing, diagnosis)


def _explained_run(method: Method, case: FailingRun, earlier: Mapping[str, WeighedDiagnosis]) -> Diagnosis:
    """The answer of a method about a run; none where it needs what came before the recorded part of a long run."""
    try:
        return method.explain_run(case, earlier)
    except UnknownValue:
        if not case.recording.log.is_last_part:
            raise
        return Diagnosis(complete=False, notes=(f"the method {method.name} needs more of the run than is recorded",))


def _is_superfluous(method: Method, case: Case, diagnoses: Sequence[WeighedDiagnosis]) -> bool:
    """Whether a last resort is not needed: nobody asked for it, no tests can judge it, and a statement stands out."""
    if method.on_runs is not When.LAST_RESORT or isinstance(case, FailingPath) or case.options.methods or case.others:
        return False
    return any(row.score >= STANDS_OUT_SCORE for row in ranked(case, diagnoses)[:1])


def ranked(case: Case, diagnoses: Sequence[WeighedDiagnosis]) -> tuple[RankedStatement, ...]:
    """One ranking from all that the methods said."""
    return rank(diagnoses, case.places, case.marks, case.forwarded, case.options.trust)


def arranged(methods: Sequence[Method], data: Mapping[str, Any], ranking: Sequence[RankedStatement]) -> dict[str, Any]:
    """What the methods report, in the order that the ranking gives it."""
    found = dict(data)
    for method in methods:
        key = registry.report_key(method.name)
        if key in found:
            found[key] = method.arranged(found[key], ranking)
    return found


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

    `known` gets the beginning of the answer as soon as it is there: the failure and what led to it.
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
    verdict = verdict_on(recording, places, dependence, options)
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
    known(Explanation(Status.PARTIAL, info, failure, memory_errors=survived, sources=places.texts(), ladder=ladder))
    what = f"{failure.message} at {failure.file}:{failure.line}" if failure.file else failure.message
    answers = ask_methods(case, asked, lambda name: progress(f"method {name}; {what}"))
    notes += answers.notes
    notes += _static_limits(dependence.potential_dependence)
    status = Status.EXPLAINED
    if answers.interrupted:
        status = Status.PARTIAL
    elif answers.late:
        status = Status.PARTIAL
        is_all_used = budget.left <= (1 - _METHODS_SHARE) * budget.seconds
        notes.append(_out_of_time(options.budget, () if is_all_used else answers.late))
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
    before, kept = instructions_in(recording, recording.log.dropped), instructions_in(recording, recording.log.counts)
    if recording.meta.dropped:
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
        OtherTest(r.test.name, r.spec, r.test.expect_stdout, r.test.expect_exit, r.failed, r.covered)
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


def _test_row(test: TestCase, recording: Recording, verdict: Verdict) -> dict[str, Any]:
    failure = verdict.failure
    shown = None if failure is None else reported_failure(failure, Places(recording)).to_dict()
    return {"name": test.name, "passed": failure is None, "failure": shown}
