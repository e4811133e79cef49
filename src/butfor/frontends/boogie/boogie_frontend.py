"""The front end of Boogie programs: their failing paths, and what they do with other inputs than those of a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from butfor.path.searched_program import BEFORE_FIRST, Alternative, Answer


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

    def alternative(self, path: Path, position: int, cell: str, seconds: float) -> Alternative:
        """A value of one input, after the same inputs before it, with which the program can return without failure."""
        given = {**_before(path, position), **_at(path, position)}
        name = _source(position, cell)
        given.pop(name, None)
        found = explore(self.unit, self.flow, self.bound, seconds, given=given, wants_passing=True)
        if found.passing is None:
            return Alternative(Answer.NO if _is_whole(found) else Answer.UNKNOWN)
        if run(self.unit, self.flow, found.passing).end is not End.RETURNED:
            return Alternative(Answer.UNKNOWN)
        return Alternative(Answer.YES, _value(found.passing, path, position, cell))

    def always_fails(self, path: Path, position: int, seconds: float) -> Answer:
        """Whether the inputs up to a position lead to the failure of the path whatever inputs follow."""
        given = {**_before(path, position), **_at(path, position)}
        found = explore(self.unit, self.flow, self.bound, seconds, given=given, wants_passing=True)
        if found.passing is not None:
            return Answer.NO
        if not _is_whole(found) or not found.failures:
            return Answer.UNKNOWN
        return Answer.YES if all(f.path.place == path.place for f in found.failures) else Answer.NO


def _is_whole(found: Exploration) -> bool:
    """Whether every execution was explored to its end."""
    return found.complete and found.in_time and not found.unknown and not found.overlong


def _source(position: int, cell: str) -> str:
    return f"{cell}!0" if position == BEFORE_FIRST else f"{cell}!h{position}"


def _at(path: Path, position: int) -> dict[str, Value]:
    """The values that are chosen together with the one at a position."""
    if position == BEFORE_FIRST:
        return {f"{name}!0": value for name, value in path.start.items()}
    return {
        f"{c.name}!h{position}": path.instances[position].recorded[c.name] for c, _ in path.instances[position].writes
    }


def _before(path: Path, position: int) -> Mapping[str, Value]:
    """The values that are chosen before those at a position."""
    if position == BEFORE_FIRST:
        return {}
    found = _at(path, BEFORE_FIRST)
    for k, i in enumerate(path.instances[:position]):
        if i.kind is Kind.HAVOC:
            found |= _at(path, k)
    return found


def _value(passing: Given, path: Path, position: int, cell: str) -> Value:
    """The value that an input has in an execution that is the same as the path before it."""
    if position == BEFORE_FIRST:
        return passing.start[cell]
    place = path.instances[position].place
    here = (place.line, place.column)
    earlier = sum(
        len(i.writes)
        for i in path.instances[:position]
        if i.kind is Kind.HAVOC and (i.place.line, i.place.column) == here
    )
    names = [c.name for c, _ in path.instances[position].writes]
    return passing.chosen[here][earlier + names.index(cell)]
