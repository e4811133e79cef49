"""The front end of Boogie programs: their failing paths, and what they do with other inputs than those of a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from butfor.files import read_bytes
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph
from butfor.frontends.boogie.explore_paths import DEFAULT_BOUND, Exploration, explore
from butfor.frontends.boogie.interpreter import End, Given, given_by, run
from butfor.logic.sorts import Value
from butfor.options import ProgramOptions
from butfor.path.path_model import Kind, Path
from butfor.path.searched_program import BEFORE_FIRST, Alternative, Answer, PathInput, inputs_of


def search_program(
    options: ProgramOptions, bound: int | None, seconds: float, progress: Callable[[str], None]
) -> Exploration:
    """The failing paths that were found up to a bound (None: the usual one) and in this time."""
    (source,) = options.sources
    text = BoogieText.of(str(source), read_bytes(source))
    unit = TranslationUnit(text)
    flow = unit.entry(options.entry)
    found = explore(unit, flow, bound or DEFAULT_BOUND, seconds, say=progress)
    return replace(found, sources={text.file: text.text}, program=BoogieProgram(unit, flow, max(found.bound, 1)))


@dataclass(frozen=True, slots=True)
class BoogieProgram:
    """A program that was explored up to a bound, and can be asked about other inputs: explored again, and run."""

    unit: TranslationUnit
    flow: FlowGraph
    bound: int

    def fails(self, path: Path) -> bool:
        """Whether the program, run with the inputs of the path, fails at the end of the path."""
        found = run(self.unit, self.flow, given_by(path))
        return found.end is End.FAILED and found.at is not None and found.at.line == path.place.line

    def alternative(self, path: Path, chosen: PathInput, seconds: float) -> Alternative:
        """A value of one input, after the same earlier inputs, with which the program can return without a failure."""
        found = self._explored(path, chosen, seconds, with_itself=False)
        if found.passing is None:
            return Alternative(Answer.NO if _is_whole(found) else Answer.UNKNOWN)
        if run(self.unit, self.flow, found.passing).end is not End.RETURNED:
            return Alternative(Answer.UNKNOWN)
        return Alternative(Answer.YES, _value(found.passing, path, chosen))

    def always_fails(self, path: Path, chosen: PathInput, seconds: float) -> Answer:
        """Whether the inputs up to this one lead to the failure of the path whatever inputs follow."""
        found = self._explored(path, chosen, seconds, with_itself=True)
        if found.passing is not None:
            return Answer.NO
        if not _is_whole(found) or not found.failures:
            return Answer.UNKNOWN
        return Answer.YES if all(f.path.place == path.place for f in found.failures) else Answer.NO

    def _explored(self, path: Path, chosen: PathInput, seconds: float, *, with_itself: bool) -> Exploration:
        """All executions with the inputs of the path before this one, and with itself if wanted."""
        inputs = inputs_of(path)
        known = inputs[: inputs.index(chosen) + with_itself]
        given = {i.source_name: i.recorded(path) for i in known}
        return explore(self.unit, self.flow, self.bound, seconds, given=given, wants_passing=True)


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
