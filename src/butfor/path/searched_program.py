"""What a method may ask the program of a path: what happens with other inputs or statements, in any arm."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from butfor.logic.sorts import Value
from butfor.path.changed_runs import ChangedRuns, PathEdit
from butfor.path.path_model import Kind, Path
from butfor.path.program_facts import ProgramFacts
from butfor.trace.view.source_places import Place

BEFORE_FIRST = -1  # the position of inputs that are there before the first instance of a path


@dataclass(frozen=True, slots=True)
class PathInput:
    """A value that a path gets from outside: of a cell before its first instance, or in the havoc at a position."""

    position: int
    cell: str

    @property
    def source_name(self) -> str:
        """The name under which a search knows it."""
        return f"{self.cell}!0" if self.position == BEFORE_FIRST else f"{self.cell}!h{self.position}"

    def recorded(self, path: Path) -> Value:
        """Its value on the path."""
        found = path.start if self.position == BEFORE_FIRST else path.instances[self.position].recorded
        return found[self.cell]


def inputs_of(path: Path) -> list[PathInput]:
    """All inputs of a path, each after those that are chosen before it; of those chosen together, in a fixed order."""
    found = [PathInput(BEFORE_FIRST, name) for name in path.inputs if name in path.start]
    for k, instance in enumerate(path.instances):
        if instance.kind is Kind.HAVOC:
            found += [PathInput(k, cell.name) for cell, _ in instance.writes]
    return found


class Answer(enum.Enum):
    """The answer to a question about all executions of a program."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Whether an input has a value with which the program can end without a failure, and such a value."""

    exists: Answer
    value: Value = None


@dataclass(frozen=True, slots=True)
class RewrittenStatement:
    """A statement of the program as it would be written: a condition, or an assignment of one variable."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A change of the program, or only of what happens along a path: statements rewritten, other values given."""

    rewritten: Sequence[RewrittenStatement] = ()
    edits: Sequence[PathEdit] = ()


class ChangedRun(enum.Enum):
    """What a changed program does with the inputs of a failing path."""

    PASSES = "it returns, and no check fails"
    SAME_FAILURE = "the same check fails"
    OTHER_FAILURE = "another check fails"
    NO_END = "it does not end, or an assumption does not hold"
    UNKNOWN = "it cannot be run so"


@dataclass(frozen=True, slots=True)
class ChangedSearch:
    """The search through a changed program. A check may fail: `fails` says which, `line` where, `values` with what.

    Otherwise all checks hold up to `bound`, in all executions if it is `complete`. `reaches_check`: some execution
    still comes to the check that failed. An UNKNOWN answer: nothing is known, for lack of time, or of a text.
    """

    holds: Answer
    bound: int = 0
    complete: bool = False
    reaches_check: bool = True
    fails: str = ""
    line: int = 0
    values: Mapping[str, str] = field(default_factory=dict)


class SearchedProgram(ChangedRuns, Protocol):
    """A program that is searched, not run, and can be asked about other inputs than those of a path through it."""

    @property
    def procedures(self) -> Collection[str]:
        """The names of its procedures."""

    def facts(self, is_over: Callable[[], bool]) -> ProgramFacts:
        """What a static analysis proves about all executions, until the time is over."""

    def fails(self, path: Path) -> bool:
        """Whether the program, run with the inputs of the path, fails at the end of the path."""

    def alternative(self, path: Path, chosen: PathInput, seconds: float) -> Alternative:
        """A value of one input, after the same earlier inputs, with which the program can return without a failure."""

    def always_fails(self, path: Path, chosen: PathInput, seconds: float, value: Value = None) -> Answer:
        """Whether the inputs up to this one, perhaps with another value, lead to the failure whatever inputs follow."""

    def run_with(self, path: Path, change: ProgramChange) -> ChangedRun:
        """What the program does with the inputs of the path when it is changed."""

    def search_with(self, path: Path, change: ProgramChange, seconds: float) -> ChangedSearch:
        """Whether all checks hold, whatever the inputs are, when statements are rewritten."""
