"""Solutions as source edits, as rows of the report, and as findings."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from butfor.explanation import Evidence
from butfor.logic.sorts import Value
from butfor.methods.repair.on_paths.solution_model import (
    CONDITION,
    Alternative,
    PathSite,
    Solution,
    Solutions,
    Standing,
    StatementChange,
)
from butfor.methods.repair.repair_model import Proposal
from butfor.methods.repair.slip_library import MAX_WEIGHT, SYNTHESISED
from butfor.path.path_model import Path
from butfor.path.path_words import boogie_text
from butfor.ranking.finding import Finding
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

MAX_SHOWN_VALUES = 8  # chosen values of a statement in the report
BONUS_ON_PATH = 1.0  # in weights, for an edit that avoids the failure along the path
PENALTY_OF_SEVERAL = 4.0  # in weights, for an edit that needs another one
MAX_SCORE = 0.5  # of a solution, which no run confirms
LATER_FACTOR = 0.9  # of the score, for each solution that comes before
_BASE_WEIGHT = 5  # added to the weight, so that a solution of weight 0 scores too


def with_hole_filled(text: str, alternative: Alternative, hole: Value | None) -> str:
    """A text with the value of the hole for `{}`: `v - 3`, not `v + -3`."""
    if alternative.hole is None or hole is None:
        return text
    width = alternative.hole.width
    value = hole - (1 << width) if width > 0 and hole >> width - 1 else hole
    if " + {}" in text and value <= 0:
        return text.replace(" + {}", f" - {-value}" if value else "", 1)
    return text.replace("{}", str(value), 1)


def changed_text(c: StatementChange) -> str:
    """The statement as a solution changes it; empty where it only chooses values."""
    return with_hole_filled(c.alternative.text, c.alternative, c.hole)


# --- patches ----------------------------------------------------------------------------------------------------------


def solution_proposals(found: Solutions) -> list[Proposal]:
    """The solutions that are edits of the source, in their order."""
    made: dict[tuple[Edit, ...], Proposal] = {}
    for number, s in enumerate(found.found):
        p = _proposal(s, number)
        if p.edits and _do_not_overlap(p.edits):
            made.setdefault(p.edits, p)
    return list(made.values())


def edits_of(s: Solution) -> tuple[Edit, ...]:
    """The edits of the source that a solution makes; none where it only chooses values."""
    if not all(c.alternative.edits for c in s.changes):
        return ()
    return tuple(sorted(_filled(e, c) for c in s.changes for e in c.alternative.edits))


def _proposal(s: Solution, number: int) -> Proposal:
    edits = edits_of(s)
    first = s.changes[0]
    why = "; ".join(
        f"`{changed_text(c)}`" if c.alternative.kind == SYNTHESISED else c.alternative.why for c in s.changes
    )
    weight = s.weight + (BONUS_ON_PATH if len(s.changes) == 1 else -PENALTY_OF_SEVERAL)
    family = first.alternative.kind if len(s.changes) == 1 else "several"
    return Proposal(edits, why, max(0.0, min(MAX_WEIGHT, weight)), first.place, family, number, in_loop=s.loops > 0)


def _filled(edit: Edit, c: StatementChange) -> Edit:
    return (
        edit
        if c.alternative.hole is None
        else replace(edit, new=with_hole_filled(edit.new.decode(), c.alternative, c.hole).encode())
    )


def _do_not_overlap(edits: Sequence[Edit]) -> bool:
    return all(a.path != b.path or a.end <= b.start for a, b in itertools.pairwise(edits))


def merged_proposals(usual: Sequence[Proposal], promising: Sequence[Proposal]) -> list[Proposal]:
    """All proposals in the order in which they are to be tried; those that avoid the failure along the path move up."""
    found = {p.edits: p for p in usual}
    for p in promising:
        old = found.get(p.edits)
        found[p.edits] = (
            p if old is None else replace(old, rank=min(old.rank, p.rank), weight=max(old.weight, p.weight))
        )
    return sorted(found.values(), key=lambda p: (p.order, p.edits))


# --- the report -------------------------------------------------------------------------------------------------------


def solution_row(s: Solution, paths: Sequence[Path]) -> dict[str, Any]:
    """A solution in the JSON report."""
    return {
        "statements": [_statement(c, paths) for c in s.changes],
        "weight": s.weight,
        "steps_skipped": s.skipped,
        "standing": s.judgement.standing.name.lower(),
        "label": s.judgement.words,
    }


def _statement(c: StatementChange, paths: Sequence[Path]) -> dict[str, Any]:
    row: dict[str, Any] = {"file": c.place.file, "line": c.place.line, "text": c.place.text, "kind": c.alternative.kind}
    text = changed_text(c)
    if text:
        row["after"] = text
    values = _values(c.values, paths)
    if values:
        row["values"] = values
    return row


def _values(values: Mapping[PathSite, Value], paths: Sequence[Path]) -> list[str]:
    """The values of a statement, instance by instance; addresses are left out."""
    found = []
    for (n, k, which), value in sorted(values.items()):
        instance = paths[n].instances[k]
        if which == CONDITION:
            found.append("as it was" if value else "otherwise")
            continue
        cell = instance.writes[which][0]
        if not cell.type.endswith("*"):
            is_negative = cell.signed and cell.sort > 0 and value >> cell.sort - 1
            number = value - (1 << cell.sort) if is_negative else value
            found.append(str(number) if cell.sort > 0 else boogie_text(value, cell.sort))
    return found[:MAX_SHOWN_VALUES]


def solution_findings(found: Solutions) -> tuple[Finding, ...]:
    """The statements of solutions, each with its first one."""
    best: dict[Place, Finding] = {}
    for number, s in enumerate(found.found):
        for c in s.changes:
            score = round(_score(s.weight, number) / len(s.changes), 4)
            if c.place not in best or best[c.place].score < score:
                is_run = s.judgement.standing in (Standing.HOLDS, Standing.PASSES)
                evidence = Evidence.REPLAYED if is_run else Evidence.HEURISTIC
                best[c.place] = Finding(c.place, score, _finding_words(c, s), evidence)
    return tuple(sorted(best.values(), key=lambda f: -f.score))


def _finding_words(c: StatementChange, s: Solution) -> str:
    text = changed_text(c)
    words = f"`{text}`" if text else c.alternative.why
    words += " would avoid the failure" + (" along its path" if s.judgement.standing is Standing.OPEN else "")
    if len(s.changes) > 1:
        words += f", together with line {' and '.join(str(o.place.line) for o in s.changes if o is not c)}"
    return words if s.judgement.standing is Standing.OPEN else f"{words}: {s.judgement.words}"


def _score(weight: float, number: int) -> float:
    return MAX_SCORE * (weight + _BASE_WEIGHT) / (MAX_WEIGHT + _BASE_WEIGHT) * LATER_FACTOR**number
