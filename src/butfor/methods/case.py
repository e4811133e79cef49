"""The subject of a method: a failing run or path, with the user's options and the time left."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from butfor.counterfactual.rerun import OtherTest
from butfor.explanation import FailureKind
from butfor.failures.check_functions import FailedCheck, failed_check
from butfor.failures.failure_point import FailurePoint
from butfor.marks import Marks
from butfor.methods.budget import Budget
from butfor.methods.reporting_code import ReportingCode
from butfor.options import Options
from butfor.path.path_model import Path
from butfor.path.searched_program import SearchedProgram
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.sliced_instances import KINDS, Slice
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Place, Places
from butfor.trace.view.source_steps import Steps, is_step
from butfor.trace.view.value_forwarding import ValueForwarding

if TYPE_CHECKING:
    from butfor.counterfactual.changed_cells import ChangedCellRuns
    from butfor.path.lift.chosen_effects import LiftableRun

MAX_EFFECTS_WITHOUT_END = 600  # on the path of a run that does not end: its iterations are alike
SLICING_SHARE = 0.4  # of the budget: the methods that start from the slices need the rest
ASKING_SHARE = 0.7  # of the time of a slice: then it goes on without the decisions that could have assigned otherwise
WALKING_SHARE = 0.7  # of the time that the method has which asks for the slices: to tell of them takes the rest


@dataclass(frozen=True)
class FailingRun:
    """One failing run with everything a method may ask about it."""

    recording: Recording
    point: FailurePoint
    dependence: Dependence
    places: Places
    options: Options
    budget: Budget
    marks: Marks = field(default_factory=Marks)
    others: tuple[OtherTest, ...] = ()  # the other tests, when there are any

    @property
    def trace(self) -> Trace:
        """The run."""
        return self.recording.trace

    @property
    def objects(self) -> RunObjects:
        """Objects by address."""
        return self.places.objects

    @cached_property
    def _failed_check(self) -> FailedCheck | None:
        node = self.point.node if self.point.kind in (FailureKind.ASSERTION, FailureKind.REACH_ERROR) else None
        return failed_check(self.trace, node) if node is not None else None

    @cached_property
    def _check(self) -> Place | None:
        """The failed check, when the failure is one."""
        return self.places.of(self._failed_check.node) if self._failed_check is not None else None

    @cached_property
    def _check_lines(self) -> range:
        return self.places.lines_of(self._check) if self._check is not None else range(0)

    def is_check(self, place: Place) -> bool:
        """Whether a place is the failed check itself, or a part of it."""
        check = self._check
        if check is None or self._failed_check is None:
            return False
        if place.function in self._failed_check.functions:
            return True
        is_inside = place.line in self._check_lines and (place.line, place.column) >= (check.line, check.column)
        return is_inside and place.path == check.path

    @cached_property
    def _symptom(self) -> Place | None:
        """The statement that only shows the failure: the failed check, or the one that printed the wrong output."""
        if self.point.kind is not FailureKind.OUTPUT or self.point.node is None:
            return self._check
        return self.places.of(self.point.node)

    def is_symptom(self, place: Place) -> bool:
        """Whether a place is the failed check, or the statement that printed the wrong output, or a part of it."""
        symptom = self._symptom
        return self.is_check(place) or (
            symptom is not None and (place.path, place.line) == (symptom.path, symptom.line)
        )

    def may_be_changed(self, place: Place) -> bool:
        """Whether an edit may change a statement: not the failed check, nothing that is trusted or marked as benign."""
        return (
            not self.is_check(place)
            and not self.only_reports(place)
            and _may_be_changed(place, self.options, self.marks)
        )

    def only_reports(self, place: Place) -> bool:
        """Whether a statement only reports the failure: a test framework's, or one that ran after the failed check."""
        return self._reporting.holds(place)

    @cached_property
    def _reporting(self) -> ReportingCode:
        return ReportingCode(self.trace, self.places, self.point)

    def statements_of_segment(self, number: int) -> tuple[Place, ...]:
        """The statements of a static segment, in their order."""
        s = self.trace.static[number]
        places = (self.places.of_instr(s.fn, i) for i in s.fn.instrs[s.seg.start : s.seg.end] if is_step(i))
        return tuple(dict.fromkeys(place for place in places if place is not None))

    def initialisers(self, address: int) -> list[Place]:
        """The declarations that gave the byte at an address its initial value."""
        found = self.objects.globals.at(address)
        return [] if found is None else self.places.initialisers(found[0], found[1])

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """The backward slices of the failure by kind, each part of the next."""
        return {kind: self._relevant if kind == "relevant" else self._slice(kind) for kind in KINDS}

    @cached_property
    def _slicing(self) -> Budget:
        """The time for all slices; the first may take a third of it, the first two together two thirds."""
        return self.budget.part(min(SLICING_SHARE * self.budget.seconds, WALKING_SHARE * self.budget.left))

    @cached_property
    def slicer(self) -> Slicer:
        """What slices the run, and knows how old the values are that it read."""
        return Slicer(self.dependence)

    @cached_property
    def _relevant(self) -> Slice:
        """The largest slice, which paths are made from."""
        return self._slice("relevant")

    def _slice(self, kind: str) -> Slice:
        maybe = (*self.kept_output, *self.point.possible_roots) if kind == "relevant" else ()
        slicer, end = (
            self.slicer,
            self._slicing.end - self._slicing.seconds * (1 - (KINDS.index(kind) + 1) / len(KINDS)),
        )
        asked_until = end - (1 - ASKING_SHARE) * max(0.0, end - time.monotonic())
        budget = self.budget  # the slice keeps its bounds, which must not keep the case and its recording
        slicer.stop = lambda: time.monotonic() >= end or budget.is_over()
        slicer.stop_asking = lambda: time.monotonic() >= asked_until
        return slicer.backward(self.point.roots, kind, self.point.node, possible_roots=maybe)

    @cached_property
    def kept_output(self) -> tuple[Node, ...]:
        """The decisions before a wrong output that kept something else from being printed, or out of the text."""
        found = dict.fromkeys(self._not_printed)
        found.update(
            (node, None) for text in self.point.wrong_text_bytes for node in self.dependence.potential_of_text(*text)
        )
        return tuple(found)

    @cached_property
    def _not_printed(self) -> tuple[Node, ...]:
        """The decisions that kept something from being printed before a wrong output, or at all."""
        silence = self.point.silent_interval
        return () if silence is None else tuple(self.dependence.missing_output(*silence))

    def with_traces(self, count: int) -> FailingRun:
        """The case with at most so many failing tests; 0: with all of them."""
        if not count:
            return self
        failing = [test for test in self.others if test.failed][: count - 1]
        return replace(self, others=tuple(t for t in self.others if not t.failed or t in failing))

    @cached_property
    def path(self) -> Path:
        """The failing path with inputs as recorded; an UnsupportedError for a failure that has none."""
        return self._lifted(free_inputs=False)

    @cached_property
    def free_path(self) -> Path:
        """The failing path with any inputs."""
        return self._lifted(free_inputs=True)

    def with_misdirected_stores(self, *, free_inputs: bool) -> Path:
        """The failing path, and on it stores that may have been meant for what it reads but wrote elsewhere."""
        from butfor.path.lift.stores_left_out import with_misdirected_stores  # late: most methods need no path

        path = self.free_path if free_inputs else self.path
        return with_misdirected_stores(self._liftable(), path, free_inputs=free_inputs)

    @cached_property
    def path_with_stores_left_out(self) -> Path:
        """The failing path, and on it those stores and others that it would depend on if a branch went elsewhere."""
        from butfor.path.lift.stores_left_out import with_stores_left_out  # late: most methods need no path

        return with_stores_left_out(self._liftable(), self.path, free_inputs=False)

    @cached_property
    def any_path(self) -> Path:
        """The failing path with inputs as recorded, also of a run that does not end."""
        return self._lifted(free_inputs=False, endless=True) if self.point.kind is FailureKind.NO_END else self.path

    def pointer_text(self, address: int) -> str:
        """An address as reports write it: the variable that was there when the run ended, and how far into it."""
        return self.objects.pointer_text(address, len(self.trace) - 1)

    def changed_runs(self) -> AbstractContextManager[ChangedCellRuns | None]:
        """The run, ready to be repeated with cells of its path changed; None when it cannot be repeated as it was."""
        from butfor.counterfactual.changed_cells import changed_cell_runs  # late: most methods change no runs

        parts = self.recording, self.point, self.places, self.options.cc
        return changed_cell_runs(*parts, checked=self.options.memory_errors)

    def _lifted(self, *, free_inputs: bool, endless: bool = False) -> Path:
        from butfor.path.lift.lift_run import lift  # late: most methods need no path

        run = self._liftable(endless)
        return (
            lift(run, free_inputs=free_inputs, endless=True, most=MAX_EFFECTS_WITHOUT_END)
            if endless
            else lift(run, free_inputs=free_inputs)
        )

    def _liftable(self, endless: bool = False) -> LiftableRun:
        from butfor.path.lift.chosen_effects import LiftableRun  # late: most methods need no path

        parts = self.recording, self.point, self.dependence, self.places, self.objects, self._relevant, self.is_check
        is_silent = endless or self.point.details.get("difference") == "missing"
        return LiftableRun(*parts, self.budget.is_over, frozenset(self.point.roots if is_silent else self._not_printed))

    @cached_property
    def forwarding(self) -> ValueForwarding:
        """Statements that only pass a value on."""
        return ValueForwarding(self.places, self.dependence)

    @cached_property
    def forwarded(self) -> Mapping[Place, Place]:
        """Statements of the largest slice that only pass a value on, with the statement they have it from.

        None when the time was up before there was a slice: the ranking does not start one.
        """
        if "slices" not in self.__dict__ and self.budget.is_over():
            return {}
        return self.forwarding.origins(self.slices["relevant"].distance)

    @cached_property
    def steps(self) -> Steps:
        """The run in source terms."""
        return Steps(self.places, self.objects, self.dependence)


@dataclass(frozen=True)
class FailingPath:
    """One failing path of a program that was searched, not run."""

    path: Path
    options: Options
    budget: Budget
    marks: Marks = field(default_factory=Marks)
    program: SearchedProgram | None = None  # that the path was found in
    others: tuple[Path, ...] = ()  # other paths to the same check, shortest first

    def may_be_changed(self, place: Place) -> bool:
        """Whether an edit may change a statement: nothing that is trusted or marked as benign."""
        return _may_be_changed(place, self.options, self.marks)

    def only_reports(self, place: Place) -> bool:
        """False: a path ends with its check."""
        return False

    @property
    def named_paths(self) -> dict[str, Path]:
        """The path, with an empty name, and the others."""
        return {"": self.path, **{f"path {n}": path for n, path in enumerate(self.others, 2)}}

    def with_traces(self, count: int) -> FailingPath:
        """The case with at most so many failing paths."""
        return replace(self, others=self.others[: count - 1])

    @property
    def places(self) -> None:
        """None: the instances of a path name their own places."""
        return None

    @property
    def forwarded(self) -> Mapping[Place, Place]:
        """Nothing: the instances of a path are whole statements."""
        return {}


Case = FailingRun | FailingPath


def _may_be_changed(place: Place, options: Options, marks: Marks) -> bool:
    return place.function not in options.trust and marks.of(place.file, place.line) != "benign"
