"""The story of a failing run: all its steps, or those that matter and their neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from butfor.ir.instructions import Instr
from butfor.methods.case import FailingRun
from butfor.run_story import CellChange, LoopIteration, Story, StoryStep
from butfor.source.source_model import Role
from butfor.story.debugger_stops import debugger_stops
from butfor.story.input_bytes import relevant_inputs
from butfor.story.loop_iterations import LoopIterations
from butfor.story.observed_memory import ObservedMemory
from butfor.story.step_reasons import ReasonFinder
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.trace import Node
from butfor.trace.view.source_steps import Step

MAX_STORY_STEPS = 3000  # what a page holds without becoming slow or large
_NEIGHBOURING_SEGMENTS = 2  # told before and after one that matters, so that it can be understood
_SEGMENTS_AT_ENDS = 200  # told at the beginning and at the end of a long run, whether they matter or not
_MAX_SEGMENTS_IN_CONDITION = 4  # between two parts of one condition
_CALL_WITH_PARAMETERS = "()"  # the target of a call whose parameters are told
_CALLS_NOT_TOLD = ("ignored", "pure", "opaque")


def tell_story(case: FailingRun, rows: tuple[tuple[str, int, str], ...] = (), most: int = MAX_STORY_STEPS) -> Story:
    """The story, of about `most` steps; `rows` are the statements (file, line, text) that a debugger should stop at."""
    return _Teller(case, most).story(rows)


class _Teller:
    """Walks the chosen part of the run once and collects its steps."""

    def __init__(self, case: FailingRun, most: int) -> None:
        self.case = case
        self.most = most
        self.trace = case.trace
        self.log = self.trace.log
        self.iterations = LoopIterations(case.places)
        self.memory = ObservedMemory(case.places, case.objects, case.steps.accesses)
        self.relevant = case.slices["relevant"].distance
        self.index: dict[Node, int] = {}
        self.own: list[Node] = []  # the instance of each step
        self.steps: list[StoryStep] = []
        self._static: dict[int, tuple[int, ...]] = {}
        self._number = 0
        self._pending: tuple[CellChange, ...] = ()  # what was seen of memory since the last step

    def story(self, rows: tuple[tuple[str, int, str], ...]) -> Story:
        """The story, with stops for a debugger at these statements."""
        chosen = self._chosen_segments()
        expected = 0
        for i in chosen.tolist():
            skipped = self._steps_between(expected, i)
            if skipped or i != expected:
                self.memory.forget()
            self._tell_segment(i, skipped)
            expected = i + 1
        finder = ReasonFinder(self.case.places, self.case.dependence, self.case.steps.accesses, self.index)
        steps = tuple(replace(step, reasons=finder.of(self.own[k])) for k, step in enumerate(self.steps))
        starts = [node[0] for node in self.own]
        objects = tuple(
            met
            if freed_in < 0
            else replace(met, freed_at=min(int(np.searchsorted(starts, freed_in, "right")), len(starts) - 1))
            for met, freed_in in zip(self.memory.met, self.memory.freed_in, strict=True)
        )
        return Story(
            steps,
            self._number + self._steps_between(expected, len(self.log)),
            self._failing_step(),
            dict(self.memory.frames),
            objects,
            relevant_inputs(self.case.recording, self.relevant),
            debugger_stops(self.case, rows),
        )

    def _failing_step(self) -> int:
        """The index of the step where the failure shows."""
        node = self.case.point.node
        if node is None:
            return len(self.steps) - 1
        known = self.index.get(node)
        if known is not None:
            return known
        place = self.case.places.of(node)
        same = [
            k
            for k, step in enumerate(self.steps)
            if place is not None and (step.file, step.line) == (place.file, place.line)
        ]
        return same[-1] if same else len(self.steps) - 1

    # --- which segments ---

    def _chosen_segments(self) -> NDArray[np.int64]:
        """The segment instances that are told, in order."""
        end = len(self.log)
        if end <= self.most or self._steps_between(0, end) <= self.most:
            return np.arange(end)
        wanted = set(range(min(_SEGMENTS_AT_ENDS, end))) | set(range(max(0, end - _SEGMENTS_AT_ENDS), end))
        room = self.most - self._count_steps(wanted)
        for node, _ in sorted(self.relevant.items(), key=lambda row: row[1]):
            if room <= 0:
                break
            first, last = node[0] - _NEIGHBOURING_SEGMENTS, node[0] + _NEIGHBOURING_SEGMENTS
            new = set(range(max(0, first), min(end, last + 1))) - wanted
            wanted |= new
            room -= self._count_steps(new)
        return np.array(sorted(wanted), dtype=np.int64)

    def _count_steps(self, segments: set[int]) -> int:
        return sum(len(self._steps_in(self.log.segment(i))) for i in segments)

    def _steps_between(self, first: int, end: int) -> int:
        if first >= end:
            return 0
        counts = np.bincount(self.log.seg[first:end], minlength=1)
        return sum(len(self._steps_in(number)) * int(counts[number]) for number in np.flatnonzero(counts).tolist())

    def _steps_in(self, number: int) -> tuple[int, ...]:
        """The instructions of a static segment that are steps."""
        known = self._static.get(number)
        if known is None:
            s = self.trace.static[number]
            is_own = self.case.places.tree_of(s.fn) is not None
            known = tuple(n for n in range(s.seg.start, s.seg.end) if is_own and self._is_told(s, s.fn.instrs[n]))
            self._static[number] = known
        return known

    def _is_told(self, s: StaticSegment, instr: Instr) -> bool:
        if not self.case.steps.is_step(instr) or s.layout.kinds.get(instr.index) in _CALLS_NOT_TOLD:
            return False
        place = self.case.places.of_instr(s.fn, instr)
        return place is not None and place.role != Role.END

    # --- steps ---

    def _tell_segment(self, i: int, skipped: int) -> None:
        s = self.trace.at(i)
        steps = self._steps_in(s.number)
        self._number += skipped
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op in ("load", "store"):
                self._pending += tuple(self.memory.access((i, n), instr))
            if n in steps:
                if self._add_step((i, n), skipped):
                    skipped = 0
            elif instr.op == "store" and self._is_parameter(s, instr):
                self._bind_parameter((i, n), instr)
        self._pending += tuple(self.memory.written_by_call(i))
        if self.steps and i == self.own[-1][0]:
            self.steps[-1] = replace(self.steps[-1], changes=self.steps[-1].changes + self._take_changes())

    def _take_changes(self) -> tuple[CellChange, ...]:
        changes, self._pending = self._pending, ()
        return changes

    def _is_parameter(self, s: StaticSegment, instr: Instr) -> bool:
        return s.fn.is_parameter(instr.args[0])

    def _bind_parameter(self, node: Node, instr: Instr) -> None:
        """Add a parameter to the step of the call that passed it."""
        call = self.trace.call_of(node[0])
        at = self.index.get(call) if call is not None else None
        if at is None:
            return
        step = self.steps[at]
        s = self.trace.at(node[0])
        known = self.case.steps.accesses.types.variable(s.fn, instr.args[1])
        value = self.case.steps.operand_text(node[0], instr.args[0], instr.detail)
        if known is not None and value is not None:
            value = self.case.steps.accesses.value_text(
                node[0], instr.args[1], instr.detail, self.trace.stored_bytes(node)
            )
            step = replace(
                step,
                uses=(*(step.uses if step.target == _CALL_WITH_PARAMETERS else ()), (known[0].name, value)),
                target=_CALL_WITH_PARAMETERS,
            )
        self.index[node] = at
        self.steps[at] = replace(
            step, is_relevant=step.is_relevant or node in self.relevant, changes=step.changes + self._take_changes()
        )

    def _add_step(self, node: Node, skipped: int) -> bool:
        """Whether a step was added; what has no name of its own goes with the next step."""
        step = self.case.steps.of(node, brief=True)
        if step is None or (step.kind == "assign" and step.target is None):
            return False
        iterations = self.iterations.of(node[0])
        earlier = self._same_statement(step, iterations) if self.steps else None
        if earlier is None:
            self._number += 1
            self.own.append(node)
        else:
            self.steps.pop()
            self.own[-1] = node
        self.index[node] = len(self.steps)
        place = step.place
        self.steps.append(
            StoryStep(
                self._number,
                skipped if earlier is None else earlier.skipped,
                place.file,
                place.line,
                place.column,
                place.function,
                place.text,
                step.kind,
                step.target,
                step.before,
                step.after,
                step.outcome,
                step.uses if earlier is None else tuple(dict((*earlier.uses, *step.uses)).items()),
                self.memory.frame(step.frame),
                step.depth,
                iterations,
                node in self.relevant or (earlier is not None and earlier.is_relevant),
                changes=self._take_changes() if earlier is None else earlier.changes + self._take_changes(),
            )
        )
        return True

    def _same_statement(self, step: Step, iterations: tuple[LoopIteration, ...]) -> StoryStep | None:
        """The last step, if it is a part of the same statement: of a condition, or a library call in it."""
        last, place = self.steps[-1], step.place
        is_part = last.kind == "branch" == step.kind or (last.kind == "call" and last.target != _CALL_WITH_PARAMETERS)
        here = (place.file, place.line, place.column, place.text, step.frame)
        is_same = (last.file, last.line, last.column, last.text, last.frame) == here and last.iterations == iterations
        return last if is_part and is_same and self.own[-1][0] + _MAX_SEGMENTS_IN_CONDITION >= step.node[0] else None
