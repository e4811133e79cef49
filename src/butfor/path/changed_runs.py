"""Changes of a failing path with which the program can be run, and what such runs tell."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from butfor.logic.sorts import Value
from butfor.path.path_model import BRANCH, Path


class RunVerdict(enum.Enum):
    """What became of the failure. UNKNOWN: the program cannot be run so, or the run did not come to an end."""

    AVOIDED = "avoided"  # the run ended without a failure of any kind
    FAILED = "failed"
    UNKNOWN = "unknown"


KEPT = None


@dataclass(frozen=True, slots=True)
class PathEdit:
    """One change of a run: the instance at a position gives a cell this value; BEFORE_FIRST, it starts with it.

    The value KEPT is what the cell held before: as if it were not assigned. Where the cell is BRANCH, the value says
    whether the branch goes where it went: 1, or 0 for the other arm.
    """

    position: int
    cell: str
    value: Value

    @staticmethod
    def other_arm(position: int) -> PathEdit:
        """A branch that goes the other way."""
        return PathEdit(position, BRANCH, 0)


class ChangedRuns(Protocol):
    """A program that can be run again with the statements of a path changed."""

    def verdicts(self, path: Path, changes: Sequence[Sequence[PathEdit]]) -> list[RunVerdict]:
        """What becomes of the failure with each of these sets of edits; all else is as on the path."""
        ...
