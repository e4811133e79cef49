"""The answer: what failed, which statements caused it and how that is known.

The JSON report is exactly `Explanation.to_dict()`. The named keys are fixed for `schema_version` 1. `extra` mappings
add keys; readers must ignore those they do not know.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from butfor.errors import ExitCode
from butfor.origin_ladder import Ladder
from butfor.plain_json import merged, plain
from butfor.run_story import Story

SCHEMA_VERSION = 1


class Status(enum.StrEnum):
    """How the analysis ended."""

    EXPLAINED = "explained"
    NO_FAILURE = "no-failure"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"

    @property
    def exit_code(self) -> ExitCode:
        """The exit status of the command line for this result."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Status.EXPLAINED: ExitCode.OK,
    Status.NO_FAILURE: ExitCode.OK,
    Status.PARTIAL: ExitCode.PARTIAL,
    Status.UNSUPPORTED: ExitCode.CANNOT_EXPLAIN,
}


class FailureKind(enum.StrEnum):
    """What went wrong in the run."""

    ASSERTION = "assertion"
    SIGNAL = "signal"
    MEMORY = "memory"
    DIVISION = "division"
    ARITHMETIC = "arithmetic"
    EXIT_STATUS = "exit-status"
    OUTPUT = "output"
    NO_END = "no-end"
    REACH_ERROR = "reach-error"


class Evidence(enum.StrEnum):
    """How a claim is known."""

    PROVED = "proved"  # a solver's answer, checked again independently
    REPLAYED = "replayed"  # the program was run again and confirmed it
    HEURISTIC = "heuristic"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The recorded run: its arguments, size and end. `extra` may hold its output, with bytes written as text."""

    args: tuple[str, ...] = ()
    instructions: int = 0
    steps: int = 0
    record_seconds: float = 0.0
    analyse_seconds: float = 0.0
    exit_status: int | None = None
    signal: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ending(self) -> str:
        """How the run ended, in words."""
        if self.signal is not None:
            return f"was ended by {self.signal}"
        if self.exit_status is not None:
            return f"ended with exit status {self.exit_status}"
        return "did not end by itself"

    def to_dict(self) -> dict[str, Any]:
        """The `run` object of the JSON report."""
        fixed = {
            "args": self.args,
            "instructions": self.instructions,
            "steps": self.steps,
            "record_seconds": self.record_seconds,
            "analyse_seconds": self.analyse_seconds,
            "exit_status": self.exit_status,
            "signal": self.signal,
        }
        return merged(fixed, self.extra)


@dataclass(frozen=True, slots=True)
class Failure:
    """Where and how the run failed.

    `message` is a sentence of its own without the location ("assertion failed: x == 0"). Lines and columns count from
    1, columns in bytes as compilers do; 0 means unknown. `details` depends on the kind: `text` is the source text to
    underline, `values` maps expressions as written to their values as shown.
    """

    kind: FailureKind
    file: str
    line: int
    column: int
    function: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The `failure` object of the JSON report."""
        fixed = {
            "kind": self.kind,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "function": self.function,
            "message": self.message,
            "details": self.details,
        }
        return merged(fixed, {})


@dataclass(frozen=True, slots=True)
class Reason:
    """What one method says about a statement, and how it knows."""

    method: str
    text: str
    evidence: Evidence | None = None

    def to_dict(self) -> dict[str, Any]:
        """A member of `reasons` in the JSON report."""
        return merged(
            {"method": self.method, "text": self.text}, {} if self.evidence is None else {"evidence": self.evidence}
        )


@dataclass(frozen=True, slots=True)
class Also:
    """A definition behind a statement (a macro, a declaration, a table) where the edit may belong."""

    file: str
    line: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """A member of `also` in the JSON report."""
        return merged({"file": self.file, "line": self.line, "why": self.why}, {})


@dataclass(frozen=True, slots=True)
class RankedStatement:
    """One source statement of the ranking; `text` is the statement as the programmer wrote it."""

    rank: int
    file: str
    line: int
    column: int
    function: str
    text: str
    role: str
    score: float
    evidence: Evidence
    reasons: tuple[Reason, ...] = ()
    also: tuple[Also, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """A member of `ranking` in the JSON report."""
        fixed = {
            "rank": self.rank,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "function": self.function,
            "text": self.text,
            "role": self.role,
            "score": self.score,
            "evidence": self.evidence,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "also": [also.to_dict() for also in self.also],
        }
        return merged(fixed, self.extra)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The whole answer. `ranking` is best first, one row per source statement.

    `memory_errors` are those the run survived, other than `failure` itself. `sources` maps file names to source text,
    with bytes that are not UTF-8 as surrogate escapes; `story` is the run step by step, made only for reports that show
    it (`Options.story`). Neither is part of the JSON report. `ladder` leads from the failure back to where the bad
    value was made; it is what the JSON report calls its story.
    """

    status: Status
    run: RunInfo = field(default_factory=RunInfo)
    failure: Failure | None = None
    ranking: tuple[RankedStatement, ...] = ()
    methods: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    memory_errors: tuple[Failure, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    story: Story | None = field(default=None, repr=False)
    ladder: Ladder | None = field(default=None, repr=False)
    schema_version: int = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as plain lists, dicts, strings and numbers."""
        fixed = {
            "schema_version": self.schema_version,
            "status": self.status,
            "run": self.run.to_dict(),
            "failure": None if self.failure is None else self.failure.to_dict(),
            "ranking": [row.to_dict() for row in self.ranking],
            "methods": plain(self.methods),
            "notes": self.notes,
            "memory_errors": [error.to_dict() for error in self.memory_errors],
            "story": None if self.ladder is None else self.ladder.to_dict(),
        }
        return merged(fixed, self.extra)


class Interrupted(KeyboardInterrupt):
    """The user interrupted the analysis; `explanation` is what was known by then."""

    def __init__(self, explanation: Explanation) -> None:
        super().__init__()
        self.explanation = explanation
