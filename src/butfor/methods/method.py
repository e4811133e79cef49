"""What a method gets and what it gives. A method is a callable `Case -> Diagnosis`, or `PathCase -> Diagnosis` for those that work on a
failing path; see `registry.py` for how it is found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from butfor.counterfactual.other_tests import OtherRun
from butfor.explanation import Also, Evidence, FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.marks import Marks
from butfor.options import Options
from butfor.path.path_model import Path
from butfor.trace.dependence.backward_slice import KINDS, Slice, Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import Objects
from butfor.trace.view.source_places import Place, Places
from butfor.trace.view.source_steps import Steps

_ENDLESS = 600  # heads of the path of a run that does not end: its rounds are alike
_SLICES = 0.4  # the share of the budget that slices may take


class Budget:
    """Time that a method may take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.end


@dataclass(frozen=True)
class Case:
    """One failing run with everything a method may ask about it."""

    recording: Recording
    point: FailurePoint
    dependence: Dependence
    places: Places
    options: Options
    budget: Budget
    marks: Marks = field(default_factory=Marks)
    others: tuple[OtherRun, ...] = ()  # the other tests, when there are any
    answers: dict[str, Diagnosis] = field(default_factory=dict)  # of the methods that have been asked before

    @property
    def trace(self) -> Trace:
        """The run."""
        return self.recording.trace

    @cached_property
    def objects(self) -> Objects:
        """Objects by address."""
        return Objects(self.recording)

    @cached_property
    def _check(self) -> Place | None:
        """The failed check, when the failure is one."""
        node = self.point.node if self.point.kind in (FailureKind.ASSERTION, FailureKind.REACH_ERROR) else None
        return self.places.of(node) if node is not None else None

    def is_check(self, place: Place) -> bool:
        """Whether a place is the failed check itself, or a part of it."""
        check = self._check
        return (
            check is not None and place.path == check.path and place.line == check.line and place.column >= check.column
        )

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """The backward slices of the failure by kind, each part of the next."""
        return {kind: self._relevant if kind == "relevant" else self._slice(kind) for kind in KINDS}

    @cached_property
    def _slicer(self) -> Slicer:
        share = Budget(_SLICES * self.budget.seconds)
        return Slicer(self.dependence, lambda: share.is_over() or self.budget.is_over())

    @cached_property
    def _relevant(self) -> Slice:
        """The largest slice, which paths are made from."""
        return self._slice("relevant")

    def _slice(self, kind: str) -> Slice:
        maybe = (*self.kept_output, *self.point.possible_roots) if kind == "relevant" else ()
        return self._slicer.backward(self.point.roots, kind, self.point.node, maybe=maybe)

    @cached_property
    def kept_output(self) -> tuple[Node, ...]:
        """The decisions before a wrong output that kept something else from being printed, or from being in the text that was."""
        found = dict.fromkeys(self._not_printed)
        found.update((node, None) for text in self.point.wrong_text_bytes for node in self.dependence.kept_text(*text))
        return tuple(found)

    @cached_property
    def _not_printed(self) -> tuple[Node, ...]:
        """The decisions that kept something from being printed before a wrong output, or at all."""
        silence = self.point.silent_interval
        return () if silence is None else tuple(self.dependence.missing_output(*silence))

    @cached_property
    def path(self) -> Path:
        """The failing path with inputs as recorded; an UnsupportedError for a failure that has none."""
        return self._lifted(free_inputs=False)

    @cached_property
    def free_path(self) -> Path:
        """The failing path with any inputs."""
        return self._lifted(free_inputs=True)

    @cached_property
    def any_path(self) -> Path:
        """The failing path with inputs as recorded, also of a run that does not end."""
        return self._lifted(free_inputs=False, endless=True) if self.point.kind is FailureKind.NO_END else self.path

    def _lifted(self, *, free_inputs: bool, endless: bool = False) -> Path:
        from butfor.path.lift.chosen_effects import Run  # late: most methods need no path
        from butfor.path.lift.lift_run import lift

        parts = self.recording, self.point, self.dependence, self.places, self.objects, self._relevant, self.is_check
        is_silent = endless or self.point.details.get("difference") == "missing"
        run = Run(*parts, self.budget.is_over, frozenset(self.point.roots if is_silent else self._not_printed))
        return (
            lift(run, free_inputs=free_inputs, endless=True, most=_ENDLESS)
            if endless
            else lift(run, free_inputs=free_inputs)
        )

    @cached_property
    def steps(self) -> Steps:
        """The run in source terms."""
        return Steps(self.places, self.objects, self.dependence)


@dataclass(frozen=True)
class PathCase:
    """One failing path with what a method may ask for besides."""

    path: Path
    options: Options
    budget: Budget
    marks: Marks = field(default_factory=Marks)


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement that a method names, with a score from 0 to 1 and the reason in words."""

    place: Place
    score: float
    reason: str
    evidence: Evidence = Evidence.HEURISTIC
    lines: tuple[int, ...] = ()  # further lines of the same statement that took part
    extra: Mapping[str, Any] = field(default_factory=dict)  # for the row of the report
    also: tuple[Also, ...] = ()  # other places where the edit may belong


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer of one method: findings best first, and its own part of the JSON report."""

    method: str
    findings: tuple[Finding, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = True
    notes: tuple[str, ...] = ()  # sentences for the report


class Localizer(Protocol):
    """A method."""

    def __call__(self, case: Case) -> Diagnosis:
        """The method's answer for this failing run."""
        ...


class PathLocalizer(Protocol):
    """A method that works on a failing path, wherever that comes from."""

    def __call__(self, case: PathCase) -> Diagnosis:
        """The method's answer for this failing path."""
        ...
