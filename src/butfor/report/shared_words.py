"""Words and orders that all reports share."""

from __future__ import annotations

from butfor.explanation import Evidence, FailureKind, RankedStatement, Reason
from butfor.methods.registry import prominence, tells_what_happened

MAX_ROWS_SHOWN = 7

KIND_WORDS = {
    FailureKind.ASSERTION: "assertion failed",
    FailureKind.SIGNAL: "fatal signal",
    FailureKind.MEMORY: "memory error",
    FailureKind.DIVISION: "division by zero",
    FailureKind.EXIT_STATUS: "unexpected exit status",
    FailureKind.OUTPUT: "output differs from the expected output",
    FailureKind.NO_END: "the run did not end",
    FailureKind.REACH_ERROR: "reach_error() was called",
}

_STRENGTH = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2, None: 3}


def ordered_reasons(row: RankedStatement) -> list[Reason]:
    """The reasons of a row, those with the best evidence first."""
    return sorted(row.reasons, key=lambda reason: _STRENGTH[reason.evidence])


def strongest_reason(row: RankedStatement) -> Reason | None:
    """The first reason with the evidence of the row."""
    strongest = [reason for reason in row.reasons if reason.evidence is row.evidence]
    return next(iter((*strongest, *row.reasons)), None)


def telling_reason(row: RankedStatement) -> Reason | None:
    """The reason that says most to a reader in one sentence."""
    telling = max(row.reasons, key=lambda reason: prominence(reason.method), default=None)
    return telling if telling is not None and prominence(telling.method) else strongest_reason(row)


def what_happened(row: RankedStatement) -> Reason | None:
    """What the statement did in the run, for where the changed run is told on its own."""
    return next((reason for reason in row.reasons if tells_what_happened(reason.method)), telling_reason(row))
