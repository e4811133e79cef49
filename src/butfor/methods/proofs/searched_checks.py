"""Which checks of a program that is searched hold in every execution, without a bound; the others may fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from butfor.methods.case import FailingPath
from butfor.methods.proofs.mined_facts import MinedFacts
from butfor.path.program_facts import CheckFact
from butfor.ranking.finding import Diagnosis

ANALYSIS_SHARE = 0.5  # of the budget: other methods need time too
_OUT_OF_TIME = "the checks that are open may hold all the same: the time was over before the analysis was"


def checks_for_all_executions(case: FailingPath) -> Diagnosis:
    """The checks with the verdict of the analysis on each; no findings."""
    if case.program is None:
        return Diagnosis((), {"checks": [], "counts": {}}, complete=False)
    facts = case.program.facts(case.budget.part(ANALYSIS_SHARE * case.budget.seconds).is_over)
    counts = Counter(check.verdict for check in facts.checks)
    data: dict[str, Any] = {
        "checks": [_row(check) for check in facts.checks],
        "counts": {v: counts[v] for v in ("proved", "unreachable", "open")},
        "reasons": [] if facts.complete else [_OUT_OF_TIME],
        **MinedFacts(facts.allowed, facts.trusted).rows,
    }
    notes = (*_notes(facts.checks), *(() if facts.complete else (_OUT_OF_TIME,)))
    return Diagnosis((), data, facts.complete, notes)


def _row(check: CheckFact) -> dict[str, Any]:
    place = check.place
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "kind": "assertion",
        "text": check.text,
        "verdict": check.verdict,
    }


def _notes(checks: tuple[CheckFact, ...]) -> Iterator[str]:
    still_open = [f"line {c.place.line} {c.text}" for c in checks if c.verdict == "open"]
    held = len(checks) - len(still_open)
    words = f"checks and their parts: {held} of {len(checks)} hold in every execution, by ranges of the variables"
    yield f"{words}; open: {', '.join(still_open)}" if still_open else words
