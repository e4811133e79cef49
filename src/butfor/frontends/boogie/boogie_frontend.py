"""The front end of Boogie programs: their failing paths, and what they do with other inputs than those of a path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from butfor.files import read_bytes
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.changed_program import changed_program
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph
from butfor.frontends.boogie.explore_paths import DEFAULT_BOUND, Exploration, explore
from butfor.frontends.boogie.interpreter import HOLDS, End, Event, EventKind, Given, given_by, run
from butfor.frontends.boogie.proved_checks import program_facts
from butfor.logic.sorts import Value
from butfor.options import ProgramOptions
from butfor.path.changed_runs import KEPT, PathEdit, RunVerdict
from butfor.path.path_model import BRANCH, Kind, Path, read_before_assigned
from butfor.path.path_words import PathWords
from butfor.path.program_facts import ProgramFacts
from butfor.path.searched_program import (
    BEFORE_FIRST,
    Alternative,
    Answer,
    ChangedRun,
    ChangedSearch,
    PathInput,
    ProgramChange,
    inputs_of,
)

STEPS_PER_INSTANCE, MIN_STEPS = 10, 2_000  # of a changed run: one that takes more is not waited for


def search_program(
    options: ProgramOptions, bound: int | None, seconds: float, progress: Callable[[str], None]
) -> Exploration:
    """The failing paths that were found up to a bound (None: the usual one) and in this time."""
    (source,) = options.sources
    text = BoogieText.of(str(source), read_bytes(source))
    unit = TranslationUnit(text)
    flow = unit.entry(options.entry)
    wanted = bound or DEFAULT_BOUND
    found = explore(unit, flow, wanted, seconds, say=progress)
    program = BoogieProgram(unit, flow, max(found.bound, 1), wanted)
    return replace(found, sources={text.file: text.text}, program=program)


@dataclass(frozen=True, slots=True)
class BoogieProgram:
    """A program that was explored, and can be asked about other inputs and statements: explored again, and run.

    It was explored up to `bound`; changed programs are up to `wanted_bound`.
    """

    unit: TranslationUnit
    flow: FlowGraph
    bound: int
    wanted_bound: int = DEFAULT_BOUND

    @property
    def procedures(self) -> Collection[str]:
        """The names of its procedures."""
        return self.unit.program.procedures.keys()

    def facts(self, is_over: Callable[[], bool]) -> ProgramFacts:
        """What a static analysis proves about all executions, until the time is over."""
        return program_facts(self.unit, self.flow, is_over)

    def fails(self, path: Path) -> bool:
        """Whether the program, run with the inputs of the path, fails at the end of the path."""
        found = run(self.unit, self.flow, given_by(path))
        return found.end is End.FAILED and found.at is not None and found.at.line == path.place.line

    def verdicts(self, path: Path, changes: Sequence[Sequence[PathEdit]]) -> list[RunVerdict]:
        """What becomes of the failure when the program is run with each of these sets of edits."""
        events = _events_of(path)
        given = (_given_with(path, events, edits) for edits in changes)
        return [RunVerdict.UNKNOWN if one is None else self._verdict(path, one) for one in given]

    def _verdict(self, path: Path, given: Given) -> RunVerdict:
        """What becomes of the failure in a changed run.

        Variables that the path assigns before it reads them may start with any value, which another arm may read.
        """
        most = STEPS_PER_INSTANCE * len(path.instances) + MIN_STEPS
        verdict = _VERDICTS[run(self.unit, self.flow, given, most).end]
        if verdict is RunVerdict.AVOIDED:
            others = (replace(given, start={**given.start, name: value}) for name, value in _other_starts(path))
            if any(run(self.unit, self.flow, other, most).end is End.FAILED for other in others):
                return RunVerdict.UNKNOWN
        return verdict

    def run_with(self, path: Path, change: ProgramChange) -> ChangedRun:
        """What the program does with the inputs of the path when it is changed."""
        changed = changed_program(self.unit, self.flow, change.rewritten)
        given = _given_with(path, _events_of(path), change.edits)
        if changed is None or given is None:
            return ChangedRun.UNKNOWN
        steps = STEPS_PER_INSTANCE * len(path.instances) + MIN_STEPS
        found = run(changed.unit, changed.flow, changed.given(given), steps)
        if found.end is End.FAILED:
            same = found.at is not None and (found.at.line, found.at.column) == changed.place_of(path.place)
            return ChangedRun.SAME_FAILURE if same else ChangedRun.OTHER_FAILURE
        return ChangedRun.PASSES if found.end is End.RETURNED else ChangedRun.NO_END

    def search_with(self, path: Path, change: ProgramChange, seconds: float) -> ChangedSearch:
        """Whether all checks hold, whatever the inputs are, when statements are rewritten."""
        changed = None if change.edits else changed_program(self.unit, self.flow, change.rewritten)
        if changed is None:
            return ChangedSearch(Answer.UNKNOWN)
        found = explore(changed.unit, changed.flow, self.wanted_bound, seconds)
        reaches = changed.place_of(path.place) in found.reached
        if found.failures:
            first = found.failures[0]
            values = PathWords(first.path).input_values()
            line = first.path.place.line
            return ChangedSearch(Answer.NO, reaches_check=reaches, fails=first.message, line=line, values=values)
        if found.unknown or found.overlong or not found.bound:
            return ChangedSearch(Answer.UNKNOWN, reaches_check=reaches or not found.in_time)
        return ChangedSearch(Answer.YES, found.bound, found.complete, reaches or not found.in_time)

    def alternative(self, path: Path, chosen: PathInput, seconds: float) -> Alternative:
        """A value of one input, after the same earlier inputs, with which the program can return without a failure."""
        found = self._explored(path, chosen, seconds, with_itself=False)
        if found.passing is None:
            return Alternative(Answer.NO if _is_whole(found) else Answer.UNKNOWN)
        if run(self.unit, self.flow, found.passing).end is not End.RETURNED:
            return Alternative(Answer.UNKNOWN)
        return Alternative(Answer.YES, _value(found.passing, path, chosen))

    def always_fails(self, path: Path, chosen: PathInput, seconds: float, value: Value = None) -> Answer:
        """Whether the inputs up to this one, perhaps with another value, lead to the failure whatever inputs follow."""
        found = self._explored(path, chosen, seconds, with_itself=True, value=value)
        if found.passing is not None:
            return Answer.NO
        if not _is_whole(found) or not found.failures:
            return Answer.UNKNOWN
        return Answer.YES if all(f.path.place == path.place for f in found.failures) else Answer.NO

    def _explored(
        self, path: Path, chosen: PathInput, seconds: float, *, with_itself: bool, value: Value = None
    ) -> Exploration:
        """All executions with the inputs of the path before this one, and with itself or another value if wanted."""
        inputs = inputs_of(path)
        known = inputs[: inputs.index(chosen) + with_itself]
        given = {i.source_name: i.recorded(path) for i in known}
        if value is not None:
            given[chosen.source_name] = value
        return explore(self.unit, self.flow, self.bound, seconds, given=given, wants_passing=True)


_SMALL_STARTS = (-1, 0, 1)
_VERDICTS = {
    End.RETURNED: RunVerdict.AVOIDED,
    End.FAILED: RunVerdict.FAILED,
    End.BLOCKED: RunVerdict.UNKNOWN,
    End.TOO_LONG: RunVerdict.UNKNOWN,
}


def _other_starts(path: Path) -> Iterator[tuple[str, Value]]:
    """Other values for cells whose start does not matter on the path: what they get on it, and small ones."""
    unread = path.start.keys() - read_before_assigned(path) - path.inputs.keys() - path.initial.keys()
    for name in sorted(unread):
        start = path.start[name]
        if isinstance(start, int):
            assigned = {i.recorded[name] for i in path.instances if name in i.recorded}
            yield from ((name, value) for value in sorted({*assigned, *_SMALL_STARTS} - {start}))


def _events_of(path: Path) -> dict[int, Event]:
    """The events of a run that the instances of a path stand for, by position."""
    found: dict[int, Event] = {}
    counts: Counter[tuple[EventKind, int, int]] = Counter()
    frames: set[str] = set()
    for k, i in enumerate(path.instances):
        if i.kind is Kind.BRANCH:
            kind = EventKind.BRANCH
        elif i.kind is Kind.ASSIGN:
            numbers = {cell.name.rpartition("@")[2] for cell, _ in i.writes if "@" in cell.name}
            kind = EventKind.BIND if numbers - frames else EventKind.ASSIGN
            frames |= numbers
        else:
            continue
        where = kind, i.place.line, i.place.column
        counts[where] += 1
        found[k] = Event(*where, counts[where])
    return found


def _given_with(path: Path, events: Mapping[int, Event], edits: Sequence[PathEdit]) -> Given | None:
    """The values from outside and the changes of a run with these edits; None when no run can be changed so."""
    start = dict(path.start)
    instances = list(path.instances)
    changed: dict[Event, dict[str, Value]] = {}
    for edit in edits:
        if edit.value is KEPT:
            return None
        if edit.position == BEFORE_FIRST:
            start[edit.cell] = edit.value
            continue
        instance = instances[edit.position]
        if instance.kind is Kind.HAVOC:
            instances[edit.position] = replace(instance, recorded={**instance.recorded, edit.cell: edit.value})
        elif edit.position not in events:
            return None
        elif edit.cell == BRANCH:
            changed.setdefault(events[edit.position], {})[HOLDS] = int(instance.held == bool(edit.value))
        elif edit.cell.startswith("old("):
            return None
        else:
            changed.setdefault(events[edit.position], {})[edit.cell.partition("@")[0]] = edit.value
    return replace(given_by(replace(path, start=start, instances=tuple(instances))), changed=changed)


def _is_whole(found: Exploration) -> bool:
    """Whether every execution was explored to its end."""
    return found.complete and found.in_time and not found.unknown and not found.overlong


def _value(passing: Given, path: Path, chosen: PathInput) -> Value:
    """The value that an input has in an execution that is the same as the path before it."""
    if chosen.position == BEFORE_FIRST:
        return passing.start[chosen.cell]
    place = path.instances[chosen.position].place
    here = (place.line, place.column)
    earlier = sum(
        len(i.writes)
        for i in path.instances[: chosen.position]
        if i.kind is Kind.HAVOC and (i.place.line, i.place.column) == here
    )
    names = [c.name for c, _ in path.instances[chosen.position].writes]
    return passing.chosen[here][earlier + names.index(chosen.cell)]
