"""What all reports share: words for failures, and which reason of a statement is shown."""

from __future__ import annotations

from butfor.counterfactual.change_words import UNSPOKEN_CHANGE
from butfor.explanation import Evidence, Explanation, Failure, FailureKind, RankedStatement, Reason
from butfor.methods.registry import prominence, tells_what_happened
from butfor.report.inert_text import one_line

MAX_ROWS_SHOWN = 7  # of the ranking; a reader takes in no more at once, --verbose shows all

KIND_WORDS = {
    FailureKind.ASSERTION: "assertion failed",
    FailureKind.SIGNAL: "fatal signal",
    FailureKind.MEMORY: "memory error",
    FailureKind.DIVISION: "division by zero",
    FailureKind.ARITHMETIC: "undefined arithmetic",
    FailureKind.EXIT_STATUS: "unexpected exit status",
    FailureKind.OUTPUT: "output differs from the expected output",
    FailureKind.NO_END: "the run did not end",
    FailureKind.REACH_ERROR: "reach_error() was called",
}
_LEAST_SHARE_OF_BEST = 0.25  # of the first score: most rankings have a gap there, and the fault seldom follows it
_EVIDENCE_ORDER = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2, None: 3}


def rows_to_show(explanation: Explanation) -> tuple[RankedStatement, ...]:
    """The first rows of the ranking, as many as the evidence deserves: those far behind the first are left out."""
    rows = explanation.ranking[:MAX_ROWS_SHOWN]
    least = rows[0].score * _LEAST_SHARE_OF_BEST if rows else 0.0
    return tuple(row for row in rows if row.score >= least)


def failure_message(failure: Failure) -> str:
    """What happened, inert, on one line; in general words where the failure has none of its own."""
    return one_line(failure.message) or KIND_WORDS[failure.kind]


def failing_text(failure: Failure) -> str:
    """The source text of what failed, "" where it is not known."""
    text = failure.details.get("text")
    return text if isinstance(text, str) else ""


def ordered_reasons(row: RankedStatement) -> list[Reason]:
    """The reasons of a row, those with the best evidence first."""
    return sorted(row.reasons, key=lambda reason: _EVIDENCE_ORDER[reason.evidence])


def strongest_reason(row: RankedStatement) -> Reason | None:
    """The first reason with the evidence of the row."""
    strongest = [reason for reason in row.reasons if reason.evidence is row.evidence]
    return next(iter((*strongest, *row.reasons)), None)


def telling_reason(row: RankedStatement) -> Reason | None:
    """The reason that says most to a reader in one sentence."""
    spoken = [reason for reason in row.reasons if reason.text != UNSPOKEN_CHANGE] or list(row.reasons)
    telling = max(spoken, key=lambda reason: prominence(reason.method), default=None)
    return telling if telling is not None and prominence(telling.method) else strongest_reason(row)


def what_happened(row: RankedStatement) -> Reason | None:
    """The reason that says what the statement did in the run, for reports that tell the changed run separately."""
    return next((reason for reason in row.reasons if tells_what_happened(reason.method)), telling_reason(row))
