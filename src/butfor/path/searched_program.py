"""What a method may ask the program of a path: what happens with other inputs, in any arm."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from butfor.logic.sorts import Value
from butfor.path.path_model import Path

BEFORE_FIRST = -1  # the position of inputs that are there before the first instance of a path


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

    def alternative(self, path: Path, position: int, cell: str, seconds: float) -> Alternative:
        """A value of one input, after the same earlier inputs, with which the program can return without a failure."""

    def always_fails(self, path: Path, position: int, seconds: float) -> Answer:
        """Whether the inputs up to a position lead to the failure of the path whatever inputs follow."""
