"""The relevance of the statements of a failing path, and whether its inputs control the failure."""

from __future__ import annotations

from typing import Any

from butfor.methods.case import FailingPath
from butfor.methods.relevance.confirmed_verdicts import confirmed
from butfor.methods.relevance.instance_verdicts import Relevance
from butfor.methods.relevance.path_security import security_of_path
from butfor.methods.relevance.relevance_findings import diagnosis, none_alone, none_relevant
from butfor.methods.relevance.statement_verdicts import verdicts_across_runs, verdicts_on
from butfor.ranking.finding import Diagnosis


def relevance_on_path(case: FailingPath, *, is_pinned: bool) -> Diagnosis:
    """The verdicts on the statements of the path."""
    path = case.path
    verdicts = verdicts_on(path, case.budget.is_over, pinned=is_pinned)
    others = {
        name: verdicts_on(p, case.budget.is_over, pinned=is_pinned).statements
        for name, p in case.named_paths.items()
        if name
    }
    rows = verdicts.statements
    if others:
        rows = verdicts_across_runs(rows, others, "this path", missing=Relevance.IRRELEVANT)
    rows = confirmed(path, rows, case.program, case.budget.is_over)
    notes = none_alone(path, case.budget, case.program) if none_relevant(rows) else []
    security: dict[str, Any] = (
        {"verdict": "unknown", "inputs": [], "why": "the inputs were pinned to their values"}
        if is_pinned
        else security_of_path(path, case.program, case.budget.is_over)
    )
    if security["inputs"]:
        with_others = "with what is chosen later as it was, " if security["evidence"] == "tried" else ""
        notes.append(f"{with_others}the failure is controlled by {_told(security['inputs'][0])}")
    elif security["verdict"] == "not-input-controlled":
        notes.append("no input controls the failure: it happens whatever values are chosen (proved)")
    return diagnosis(path, verdicts, rows, security, notes)


def _told(row: dict[str, Any]) -> str:
    where = f" (line {row['line']})" if row["line"] else ""
    return f"{row['name']}{where}: {row['fails']} leads to it, {row['passes']} need not"
