"""The relevance of the statements of a failing path, and whether its inputs control the failure."""

from __future__ import annotations

from typing import Any

from butfor.methods.case import FailingPath
from butfor.methods.relevance.instance_verdicts import InstanceVerdict, Relevance
from butfor.methods.relevance.relevance_findings import diagnosis, none_alone, none_relevant
from butfor.methods.relevance.statement_verdicts import PathVerdicts, verdicts_on
from butfor.path.execute.value_words import value_text
from butfor.path.instance_uses import values_before
from butfor.path.path_model import Cell, Input, Path
from butfor.ranking.finding import Diagnosis


def relevance_on_path(case: FailingPath, *, is_pinned: bool) -> Diagnosis:
    """The verdicts on the statements of the path."""
    path = case.path
    verdicts = verdicts_on(path, case.budget.is_over, pinned=is_pinned)
    notes = none_alone([path], case.budget) if none_relevant(verdicts.statements) else []
    security = security_of(path, verdicts, is_pinned)
    if security["inputs"]:
        notes.append(f"the failure is controlled by {_told(security['inputs'][0])}")
    return diagnosis(path, verdicts, verdicts.statements, security, notes)


def security_of(path: Path, verdicts: PathVerdicts, pinned: bool) -> dict[str, Any]:
    """What comes from outside and decides about the failure, with one value that fails and one that does not."""
    if pinned:
        return {"verdict": "unknown", "inputs": [], "why": "the inputs were pinned to their values"}
    judged = [*verdicts.judgement.starts, *verdicts.judgement.by_position.values()]
    states = values_before(path)
    found = [row for j in judged if j.verdict is Relevance.ADMITTING for row in _rows(path, states, j)]
    if found:
        return {"verdict": "input-controlled", "inputs": found, "evidence": "proved"}
    unsure = any(j.verdict is Relevance.UNKNOWN for j in judged)
    return {"verdict": "unknown" if unsure or path.approximate else "not-input-controlled", "inputs": []}


def _rows(path: Path, states: list[dict[str, Any]], judged: InstanceVerdict) -> list[dict[str, Any]]:
    rows = []
    for other in judged.counterfactual:
        source = _source(path, judged, other.cell)
        now = states[judged.position + 1].get(other.cell.name)
        rows.append(
            {
                "source": source.source,
                "name": source.name or other.cell.shown,
                "start": source.start,
                "end": source.end,
                "line": 0 if judged.position < 0 else path.instances[judged.position].place.line,
                "fails": value_text(other.cell, now),
                "passes": value_text(other.cell, other.value, other.sort),
            }
        )
    return rows


def _source(path: Path, judged: InstanceVerdict, cell: Cell) -> Input:
    if judged.position < 0:
        return path.inputs[cell.name]
    return path.instances[judged.position].inputs.get(cell.name, Input("havoc", cell.shown))


def _told(row: dict[str, Any]) -> str:
    where = f" (line {row['line']})" if row["line"] else ""
    return f"{row['name']}{where}: {row['fails']} leads to it, {row['passes']} does not"
