"""What a method may ask the program of a path: what happens with other inputs, in any arm."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from butfor.logic.sorts import Value
from butfor.path.path_model import Kind, Path

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


class SearchedProgram(Protocol):
    """A program that is searched, not run, and can be asked about other inputs than those of a path through it."""

    def fails(self, path: Path) -> bool:
        """Whether the program, run with the inputs of the path, fails at the end of the path."""

    def alternative(self, path: Path, chosen: PathInput, seconds: float) -> Alternative:
        """A value of one input, after the same earlier inputs, with which the program can return without a failure."""

    def always_fails(self, path: Path, chosen: PathInput, seconds: float) -> Answer:
        """Whether the inputs up to this one lead to the failure of the path whatever inputs follow."""
