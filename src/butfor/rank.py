"""One ranking of source statements from the findings of all methods."""

from __future__ import annotations

import re
from collections.abc import Sequence

from butfor.explanation import Also, Evidence, RankedStatement, Reason
from butfor.localize.base import Diagnosis, Finding
from butfor.marks import Marks
from butfor.source.model import Role
from butfor.trace.places import Place, Places

_INPUT = re.compile(r"\b(?:argv|getenv|scanf|fscanf|sscanf|fgets|gets|getchar|getc|fgetc|fread|getline|read)\b")
_ORDER = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2}


def _also(place: Place, findings: Sequence[tuple[str, Finding]], places: Places) -> tuple[Also, ...]:
    """Where an edit of the statement may belong besides its first line: macros it uses, further lines it has."""
    macros = [Also(m.file, m.line, f"the macro used here: {m.text}") for m in places.macros(place)]
    lines = sorted({line for _, f in findings for line in f.lines if line != place.line})
    return (*macros, *(Also(place.file, line, "the statement goes on here") for line in lines))


def rank(diagnoses: Sequence[Diagnosis], places: Places, marks: Marks) -> tuple[RankedStatement, ...]:
    """One row per statement, best first; what the user called guilty is the first, what they called benign is left out."""
    by_place: dict[Place, list[tuple[str, Finding]]] = {}
    for diagnosis in diagnoses:
        for finding in diagnosis.findings:
            by_place.setdefault(finding.place, []).append((diagnosis.method, finding))
    scored = []
    for place, findings in by_place.items():
        mark = marks.of(place.file, place.line)
        if mark == "benign" or place.role == Role.END:  # the brace of a function only passes on what a return gave it
            continue
        score = sum(f.score for _, f in findings) / max(len(diagnoses), 1)
        if _INPUT.search(place.text):  # what only reads the input is rarely what has to be changed
            score *= 0.4
        evidence = min((f.evidence for _, f in findings), key=_ORDER.__getitem__)
        scored.append((mark != "guilty", -score, place, findings, evidence))
    scored.sort(key=lambda row: (row[0], row[4] is not Evidence.REPLAYED, row[1]))
    return tuple(
        RankedStatement(
            rank=k + 1,
            file=place.file,
            line=place.line,
            column=place.column,
            function=place.function,
            text=place.text,
            role=place.role,
            score=-negative,
            evidence=evidence,
            reasons=tuple(Reason(method, f.reason) for method, f in findings),
            also=_also(place, findings, places),
        )
        for k, (_, negative, place, findings, evidence) in enumerate(scored)
    )
