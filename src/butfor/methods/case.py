"""The subject of a method: a failing run or path, with the user's options and the time left."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from butfor.counterfactual.rerun import OtherTest
from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.marks import Marks
from butfor.options import Options
from butfor.path.path_model import Path
from butfor.path.searched_program import SearchedProgram
from butfor.trace.dependence.backward_slice import KINDS, Slice, Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.trace import Node, Trace
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Place, Places
from butfor.trace.view.source_steps import Steps, is_step
from butfor.trace.view.value_forwarding import ValueForwarding

MAX_EFFECTS_WITHOUT_END = 600  # on the path of a run that does not end: its iterations are alike
SLICING_SHARE = 0.4  # of the budget: the methods that start from the slices need the rest


class Budget:
    """Time that a method may take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.end


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

    def may_be_changed(self, place: Place) -> bool:
        """Whether an edit may change a statement: not the failed check, nothing that is trusted or marked as benign."""
        return not self.is_check(place) and _may_be_changed(place, self.options, self.marks)

    def statements_of_segment(self, number: int) -> tuple[Place, ...]:
        """The statements of a static segment, in their order."""
        s = self.trace.static[number]
        places = (self.places.of_instr(s.fn, i) for i in s.fn.instrs[s.seg.start : s.seg.end] if is_step(i))
        return tuple(dict.fromkeys(place for place in places if place is not None))

    def initialisers(self, address: int) -> list[Place]:
        """The declarations that gave the byte at an address its initial value."""
        found = self.objects.global_at(address)
        return [] if found is None else self.places.initialisers(found[0], found[1])

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """The backward slices of the failure by kind, each part of the next."""
        return {kind: self._relevant if kind == "relevant" else self._slice(kind) for kind in KINDS}

    @cached_property
    def _slicer(self) -> Slicer:
        share = Budget(SLICING_SHARE * self.budget.seconds)
        return Slicer(self.dependence, lambda: share.is_over() or self.budget.is_over())

    @cached_property
    def _relevant(self) -> Slice:
        """The largest slice, which paths are made from."""
        return self._slice("relevant")

    def _slice(self, kind: str) -> Slice:
        maybe = (*self.kept_output, *self.point.possible_roots) if kind == "relevant" else ()
        return self._slicer.backward(self.point.roots, kind, self.point.node, possible_roots=maybe)

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
        from butfor.path.lift.chosen_effects import LiftableRun  # late: most methods need no path
        from butfor.path.lift.lift_run import lift

        parts = self.recording, self.point, self.dependence, self.places, self.objects, self._relevant, self.is_check
        is_silent = endless or self.point.details.get("difference") == "missing"
        run = LiftableRun(*parts, self.budget.is_over, frozenset(self.point.roots if is_silent else self._not_printed))
        return (
            lift(run, free_inputs=free_inputs, endless=True, most=MAX_EFFECTS_WITHOUT_END)
            if endless
            else lift(run, free_inputs=free_inputs)
        )

    @cached_property
    def forwarding(self) -> ValueForwarding:
        """Statements that only pass a value on."""
        return ValueForwarding(self.places, self.dependence)

    @cached_property
    def forwarded(self) -> Mapping[Place, Place]:
        """Statements of the largest slice that only pass a value on, with the statement they have it from."""
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

    def may_be_changed(self, place: Place) -> bool:
        """Whether an edit may change a statement: nothing that is trusted or marked as benign."""
        return _may_be_changed(place, self.options, self.marks)

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
