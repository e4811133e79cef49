"""One ranking of source statements from the findings of all methods."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from butfor.counterfactual.evidence_strength import SCALE
from butfor.explanation import Also, Evidence, RankedStatement, Reason
from butfor.marks import Marks
from butfor.methods.method import Diagnosis, Finding
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place, Places

_INPUT = re.compile(r"\b(?:argv|getenv|scanf|fscanf|sscanf|fgets|gets|getchar|getc|fgetc|fread|getline|read)\b")
_PRINT = re.compile(r"\b(?:v?f?printf|f?puts|f?putc|putchar|write|fwrite|perror)\s*\(")
_ORDER = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2}
# What the score of a method is worth, and what the kind of statement says; weights as in intervene/strength.py.
_METHODS = {
    "butfor": SCALE,
    "cascade": 0.3,
    "slice": 0.6,
    "output": 5.0,
    "hazards": 4.0,
    "spectrum": 3.0,
    "repair": SCALE,
    "error-invariants": 1.0,
}
_OTHER_METHODS = {Evidence.REPLAYED: 6.0, Evidence.PROVED: 2.0, Evidence.HEURISTIC: 1.0}
_SPECIAL = frozenset(("output", "hazards"))  # they name few statements, so what they say comes first
_SAME_FACT, _TWICE = (
    frozenset(("butfor", "repair")),
    2.8,
)  # both say that a change here helps; what of that is said twice
_EVEN = 4.0  # the evidence at which the score is one half
_ROLES = {
    Role.CONDITION: 0.5,
    Role.RETURN: 0.4,
    Role.EXPRESSION: 0.1,
    Role.MACRO: -0.3,
    Role.DECLARATION: -0.4,
    Role.FOR_UPDATE: -0.4,
    Role.FOR_INIT: -0.5,
    Role.INITIALIZER: -0.5,
}
_READS, _PRINTS = -0.7, -1.0

_Row = tuple[bool, float, Place, list[tuple[str, Finding]], Evidence]  # not called guilty, minus the score, ...


def _score(place: Place, findings: Sequence[tuple[str, Finding]]) -> float:
    """The evidence of all methods for one statement; what only reads the input or prints is rarely what has to be changed."""
    total = sum(_METHODS.get(method, _OTHER_METHODS[f.evidence]) * f.score for method, f in findings)
    same = [SCALE * f.score for method, f in findings if method in _SAME_FACT]
    if len(same) > 1:
        total -= min(_TWICE, *same)
    total += _ROLES.get(Role(place.role), 0.0)
    if _INPUT.search(place.text):
        total += _READS
    if _PRINT.search(place.text):
        total += _PRINTS
    return total


def _also(place: Place, findings: Sequence[tuple[str, Finding]], places: Places | None) -> tuple[Also, ...]:
    """Where an edit of the statement may belong besides its first line: macros it uses, further lines it has."""
    macros = [
        Also(m.file, m.line, f"the macro used here: {m.text}")
        for m in (places.macros(place) if places is not None else ())
    ]
    lines = sorted({line for _, f in findings for line in f.lines if line != place.line})
    named = (a for _, f in findings for a in f.also)
    return (*macros, *(Also(place.file, line, "the statement goes on here") for line in lines), *named)


def rank(
    diagnoses: Sequence[Diagnosis], places: Places | None, marks: Marks, passing: Mapping[Place, Place] | None = None
) -> tuple[RankedStatement, ...]:
    """One row per statement, best first; what the user called guilty is the first, what they called benign is left out.

    Of statements that pass one value on (`passing`: to the statement that they have it from) one stands for all and names the others,
    which come last. `places` is None for programs without macros.
    """
    by_place: dict[Place, list[tuple[str, Finding]]] = {}
    for diagnosis in diagnoses:
        for finding in diagnosis.findings:
            by_place.setdefault(finding.place, []).append((diagnosis.method, finding))
    scored = []
    for place, findings in by_place.items():
        mark = marks.of(place.file, place.line)
        if mark == "benign" or place.role == Role.END:  # the brace of a function only passes on what a return gave it
            continue
        score = _score(place, findings)
        evidence = min((f.evidence for _, f in findings), key=_ORDER.__getitem__)
        scored.append((mark != "guilty", -score, place, findings, evidence))
    scored.sort(key=lambda row: row[:2])
    chains: dict[Place, list[_Row]] = {}
    for row in scored:
        chains.setdefault(_computed(row[2], passing or {}), []).append(row)
    firsts: dict[Place, list[Place]] = {}
    rows = []
    for origin, chain in chains.items():
        first = _speaker(origin, chain)
        firsts[first[2]] = [row[2] for row in chain if row is not first]
        rows.append((*chain[0][:2], *first[2:]))
    last = max((row[1] for row in rows), default=0.0)
    rows += [(row[0], max(row[1], last), *row[2:]) for row in scored if row[2] not in firsts]
    return tuple(
        RankedStatement(
            rank=k + 1,
            file=place.file,
            line=place.line,
            column=place.column,
            function=place.function,
            text=place.text,
            role=place.role,
            score=round(1.0 / (1.0 + math.exp(negative + _EVEN)), 4),
            evidence=evidence,
            reasons=tuple(
                Reason(method, f.reason, f.evidence)
                for method, f in sorted(findings, key=lambda row: row[0] not in _SPECIAL)
            ),
            also=(
                *_also(place, findings, places),
                *(a for p in firsts.get(place, ()) for a in _passed(p, by_place[p], places)),
            ),
            extra={key: value for _, f in findings for key, value in f.extra.items()},
        )
        for k, (_, negative, place, findings, evidence) in enumerate(rows)
    )


def _speaker(origin: Place, chain: Sequence[_Row]) -> _Row:
    """Which statement stands for those that pass one value on: the best that was changed in a run, else the one that computed the value."""
    if chain[0][4] is Evidence.REPLAYED or not chain[0][0]:
        return chain[0]
    return next((row for row in chain if row[2] == origin), chain[0])


def _passed(place: Place, findings: Sequence[tuple[str, Finding]], places: Places | None) -> tuple[Also, ...]:
    """A statement that another row stands for."""
    return (Also(place.file, place.line, f"the same value passes here: {place.text}"), *_also(place, findings, places))


def _computed(place: Place, passing: Mapping[Place, Place]) -> Place:
    """The statement that computed what a statement passes on; itself when it does not."""
    met = {place}
    while (origin := passing.get(place)) is not None and origin not in met:
        met.add(origin)
        place = origin
    return place
