"""A ladder from a value, or a failure, back to where it was made, as plain data for reports.

It is what the recording shows: nothing in it was run again, and nothing in it is a guess.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from butfor.plain_json import merged


class RungKind(enum.StrEnum):
    """What a rung tells."""

    FAILURE = "failure"  # what went wrong, and with which values
    VALUE = "value"  # the statement that made a value
    DECISION = "decision"  # the condition that let a statement run, or kept another from running
    ALLOCATION = "allocation"
    FREE = "free"
    DECLARATION = "declaration"
    INPUT = "input"
    CALL = "call"  # a call around it, where the calls matter
    MISSING = "missing"  # an assignment or a check that is not there


@dataclass(frozen=True, slots=True)
class Round:
    """The round of a loop: `number` counts from 1; `total` is 0 where there are too many to count."""

    line: int
    number: int
    total: int

    def to_dict(self) -> dict[str, Any]:
        """A member of `rounds` in the JSON report."""
        return merged({"line": self.line, "number": self.number, "total": self.total}, {})


@dataclass(frozen=True, slots=True)
class Rung:
    """One step back. `level` is 0 on the ladder itself and more for what belongs to the rung above it.

    `says` is a sentence without a full stop, with source text in backticks. `through` names the places, as file and
    line, that only passed the value on from here to the rung above; `values` maps names as written to values as shown.
    """

    kind: RungKind
    says: str
    file: str = ""
    line: int = 0
    column: int = 0
    function: str = ""
    text: str = ""
    level: int = 0
    through: tuple[tuple[str, int], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    rounds: tuple[Round, ...] = ()  # innermost loop first

    def to_dict(self) -> dict[str, Any]:
        """A member of `story.rungs` in the JSON report."""
        fixed = {
            "kind": self.kind,
            "level": self.level,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "function": self.function,
            "text": self.text,
            "says": self.says,
            "through": [{"file": file, "line": line} for file, line in self.through],
            "values": dict(self.values),
            "rounds": [r.to_dict() for r in self.rounds],
        }
        return merged(fixed, {})


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rungs, what went wrong first. `is_complete` is False where the way back was longer than is told."""

    rungs: tuple[Rung, ...] = ()
    is_complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The `story` object of the JSON report."""
        return merged({"complete": self.is_complete, "rungs": [rung.to_dict() for rung in self.rungs]}, {})
