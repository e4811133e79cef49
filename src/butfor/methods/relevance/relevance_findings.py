"""Relevance as findings and as its part of the report, for runs and for paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from butfor.explanation import Evidence
from butfor.methods.budget import Budget
from butfor.methods.relevance.instance_verdicts import Relevance
from butfor.methods.relevance.statement_verdicts import PathVerdicts, StatementVerdict
from butfor.path.changed_runs import ChangedRuns, RunVerdict
from butfor.path.execute.smallest_change_sets import smallest_change_sets, smallest_in_words
from butfor.path.path_model import Path
from butfor.ranking.finding import Diagnosis, Finding

UNCONFIRMED = 0.5  # of the score, for what no run confirmed
NONE_ALONE = "no other value at a single statement could have avoided the failure along this path"


def diagnosis(
    path: Path,
    verdicts: PathVerdicts,
    rows: Sequence[StatementVerdict],
    security: Mapping[str, Any],
    notes: Sequence[str],
) -> Diagnosis:
    """The answer of the method."""
    data = {
        "statements": [row.plain() for row in rows],
        "security": security,
        "angelic": verdicts.angelic,
        "skipped_blocks": [
            [path.instances[start].place.line, end - start] for start, end in verdicts.judgement.skipped.items()
        ],
        "approximate": list(path.approximate),
        "solver_questions": verdicts.judgement.asked,
    }
    found = tuple(sorted(_findings(path, rows), key=lambda f: -f.score))
    return Diagnosis(found, data, verdicts.judgement.complete, tuple(notes))


def _findings(path: Path, rows: Sequence[StatementVerdict]) -> Iterator[Finding]:
    """The relevant statements that no run refutes; those near the failure score higher."""
    for row in rows:
        if not row.verdict.is_relevant or row.run is RunVerdict.FAILED:
            continue
        near = (row.last + 1) / (len(path.instances) + 1)
        best = 0.4 if row.control else 0.7 if row.verdict is Relevance.ENFORCING else 0.5
        evidence = Evidence.REPLAYED if row.run is RunVerdict.AVOIDED else Evidence.HEURISTIC
        score = (best + 0.3 * near) * (1.0 if evidence is Evidence.REPLAYED else UNCONFIRMED)
        yield Finding(row.place, round(score, 4), _reason(row), evidence)


def _reason(row: StatementVerdict) -> str:
    is_confirmed = row.run is RunVerdict.AVOIDED
    if row.control:
        end = "the failure does not happen" if is_confirmed else "the failed check may not have been reached"
        return f"it decides whether the failed check is reached: decided otherwise, {end}"
    times = f" ({row.relevant} of {row.instances} instances)" if row.instances > 1 else ""
    what = (
        "it leads to the failure"
        if row.verdict is Relevance.ENFORCING
        else "its value comes from outside and led to the failure"
    )
    end = "the failure does not happen" if is_confirmed else "the run does not go on to fail as it did"
    return f"{what}: with {row.counterfactual} {end}{times}"


def none_relevant(rows: Sequence[StatementVerdict]) -> bool:
    """Whether it is known that no statement alone could have avoided the failure."""
    return bool(rows) and all(row.verdict is Relevance.IRRELEVANT for row in rows)


def none_alone(path: Path, budget: Budget, runs: ChangedRuns | None) -> list[str]:
    """What is said then: which statements would have to change together."""
    found = smallest_change_sets([path], budget.is_over, runs=[runs])
    return [NONE_ALONE, *([smallest_in_words(found)] if found.sets and len(found.sets[0].places) > 1 else [])]
