"""Words and orders that all reports share."""

from __future__ import annotations

from butfor.explanation import Evidence, FailureKind, RankedStatement, Reason

MOST_ROWS = 7

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

_TELLING = (
    "butfor",
    "output",
    "hazards",
    "slice",
)  # what a changed run showed, what is wrong there by itself, else what happened there
_STRENGTH = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2, None: 3}


def ordered_reasons(row: RankedStatement) -> list[Reason]:
    """The reasons of a row, those with the best evidence first."""
    return sorted(row.reasons, key=lambda reason: _STRENGTH[reason.evidence])


def best_reason(row: RankedStatement) -> Reason | None:
    """The first reason with the evidence of the row."""
    strongest = [reason for reason in row.reasons if reason.evidence is row.evidence]
    return next(iter((*strongest, *row.reasons)), None)


def telling_reason(row: RankedStatement) -> Reason | None:
    """The reason that says most to a reader in one sentence."""
    by_method = {reason.method: reason for reason in reversed(row.reasons)}
    return next((by_method[name] for name in _TELLING if name in by_method), best_reason(row))


def what_happened(row: RankedStatement) -> Reason | None:
    """What the statement did in the run, for where the changed run is told on its own."""
    return next((reason for reason in row.reasons if reason.method == "slice"), telling_reason(row))
