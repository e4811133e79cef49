"""The methods asked about one failure, one after the other, each within its share of the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.explanation import RankedStatement
from butfor.methods import registry
from butfor.methods.budget import MemoryIsUp, TimeIsUp, stopped_at
from butfor.methods.case import Case, FailingPath, FailingRun
from butfor.methods.method import Method, Subject, When
from butfor.native.free_memory import give_back
from butfor.options import Options
from butfor.ranking.finding import Diagnosis, WeighedDiagnosis
from butfor.ranking.rank import rank
from butfor.trace.trace import UnknownValue

METHODS_SHARE = 0.9  # of the budget: the methods are to be done by then, for ranking and reports take time too
_STOP_SHARE = 0.97  # of the budget: a method that does not look at the clock is ended then
_UNASKED_SHARE = 0.5  # of the usual share
_MIN_SHARE = 0.1  # of the budget, for the methods of a run whose failure took all the time to find
_MIN_SECONDS = 0.4  # the same for tiny budgets: the first method has something to say by then
STANDS_OUT_SCORE = 0.6  # of the first statement, from which on edits of the source need not be tried


@dataclass(frozen=True, slots=True)
class Answers:
    """What the methods said about one failure."""

    diagnoses: tuple[WeighedDiagnosis, ...]
    data: Mapping[str, Any]  # the part of each method in the report
    notes: tuple[str, ...]
    late: tuple[str, ...] = ()  # methods whose time was up before they were done
    interrupted: bool = False
    gave_up: tuple[str, ...] = ()  # methods that needed too much memory, or met what is nested too deeply

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


def ask_methods(
    case: Case,
    methods: Sequence[Method],
    progress: Callable[[str], None],
    told: Callable[[Sequence[WeighedDiagnosis]], None] = lambda diagnoses: None,
) -> Answers:
    """The answers of the methods, in their order. Ctrl-C and the end of the time keep the answers until then.

    `told` gets what the methods have said so far, whenever one of them is done and another one follows.
    """
    inquiry = _Inquiry(case, methods, progress, told)
    budget = case.budget
    least = time.monotonic() + max(_MIN_SHARE * budget.seconds, _MIN_SECONDS)
    stop = max(budget.end - (1 - _STOP_SHARE) * budget.seconds, least)
    try:
        with stopped_at(stop), budget.limited_to(budget.left - (1 - METHODS_SHARE) * budget.seconds):
            inquiry.ask_all()
    except TimeIsUp:
        inquiry.late += [method.name for method in methods if method.name not in inquiry.done]
    give_back()
    return inquiry.answers


class _Inquiry:
    """The methods being asked one after the other; each has its share of the time, and what it leaves goes on."""

    def __init__(
        self,
        case: Case,
        methods: Sequence[Method],
        progress: Callable[[str], None],
        told: Callable[[Sequence[WeighedDiagnosis]], None],
    ) -> None:
        self.case, self.methods, self.progress, self.told = case, methods, progress, told
        self.done: dict[str, WeighedDiagnosis | None] = {}  # None: without an answer
        self.late: list[str] = []
        self._known: dict[str, WeighedDiagnosis] = {}  # also of methods that only others need
        self._notes: list[str] = []
        self._interrupted = False
        self._gave_up: list[str] = []

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
        return Answers(tuple(told.values()), data, notes, tuple(self.late), self._interrupted, tuple(self._gave_up))

    def ask_all(self) -> None:
        """Ask every method, until the time is up or the user has had enough."""
        for k, method in enumerate(self.methods):
            told = [answer for answer in self.done.values() if answer is not None]
            if told:
                self.told(told)
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
            except RecursionError:
                self._notes.append(
                    f"the method {method.name} met something that is nested too deeply for it, so its answer is missing"
                )
                self._give_up(method)
            except (MemoryIsUp, MemoryError):
                self._notes.append(f"the method {method.name} needed too much memory, so its answer is missing")
                self._give_up(method)

    def _give_up(self, method: Method) -> None:
        self.done[method.name] = None
        self._gave_up.append(method.name)

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
    return rank(diagnoses, case.places, case.marks, case.forwarded, case.options.trust, case.only_reports)


def arranged(methods: Sequence[Method], data: Mapping[str, Any], ranking: Sequence[RankedStatement]) -> dict[str, Any]:
    """What the methods report, in the order that the ranking gives it."""
    found = dict(data)
    for method in methods:
        key = registry.report_key(method.name)
        if key in found:
            found[key] = method.arranged(found[key], ranking)
    return found
