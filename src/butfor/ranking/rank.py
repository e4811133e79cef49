"""One ranking of source statements from the findings of all methods."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from butfor.explanation import Also, Evidence, RankedStatement, Reason
from butfor.libc.library import names_where
from butfor.marks import Marks
from butfor.ranking.finding import Finding, WeighedDiagnosis, Weighing
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place, Places

_INPUT = re.compile(rf"\b(?:argv|{'|'.join(names_where(lambda f: f.reads_input))})\b")
_PRINT = re.compile(rf"\b(?:{'|'.join(names_where(lambda f: f.prints))})\s*\(")
# The weights are log-odds, fitted together with those of counterfactual/evidence_strength.py.
_WEIGHT_OF_ROLE = {
    Role.CONDITION: 0.5,
    Role.RETURN: 0.4,
    Role.EXPRESSION: 0.1,
    Role.MACRO: -0.3,
    Role.DECLARATION: -0.4,
    Role.FOR_UPDATE: -0.4,
    Role.FOR_INIT: -0.5,
    Role.INITIALIZER: -0.5,
}
_WEIGHT_OF_READING, _WEIGHT_OF_PRINTING = -0.7, -1.0  # statements that read input or print rarely have to change
_SHARED_WEIGHT = 2.8  # of two methods that state the same fact about a statement: it counts once
_EVEN_ODDS = 4.0  # the sum of weights at which the score is one half
_ORDER_OF_EVIDENCE = {Evidence.REPLAYED: 0, Evidence.PROVED: 1, Evidence.HEURISTIC: 2}


@dataclass(frozen=True, slots=True)
class _MethodFinding:
    """One finding with the method that made it."""

    method: str
    weighing: Weighing
    finding: Finding

    @property
    def weight(self) -> float:
        return self.weighing.weight_of(self.finding) * self.finding.score


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One statement with all that was found about it."""

    place: Place
    named: Sequence[_MethodFinding]
    is_guilty: bool
    weight: float
    evidence: Evidence

    @property
    def order(self) -> tuple[bool, float]:
        """A key that sorts the best candidate first; what the user marked as guilty comes before all else."""
        return not self.is_guilty, -self.weight


def rank(
    diagnoses: Sequence[WeighedDiagnosis],
    places: Places | None,
    marks: Marks,
    forwarded: Mapping[Place, Place] | None = None,
    trusted: Collection[str] = (),
    is_left_out: Callable[[Place], bool] = lambda place: False,
) -> tuple[RankedStatement, ...]:
    """One row per statement, best first; what the user marked as guilty is the first, what is benign is left out.

    `forwarded` maps statements that only pass a value on to the statement they have it from. Of such a chain one
    statement speaks for all and names the others, which come last. `places` is None for programs without macros.
    Statements of the functions `trusted` are taken to be right and left out, and so is what `is_left_out`.
    """
    by_place: dict[Place, list[_MethodFinding]] = {}
    for diagnosis in diagnoses:
        for finding in diagnosis.findings:
            if finding.place.function in trusted or is_left_out(finding.place):
                continue
            by_place.setdefault(finding.place, []).append(_MethodFinding(diagnosis.method, diagnosis.weighing, finding))
    candidates = sorted(_candidates(by_place, marks), key=lambda c: c.order)
    chains: dict[Place, list[_Candidate]] = {}
    for c in candidates:
        chains.setdefault(_origin(c.place, forwarded or {}), []).append(c)
    represented: dict[Place, list[Place]] = {}
    rows: list[tuple[_Candidate, float]] = []
    for origin, chain in chains.items():
        speaker = _speaker(origin, chain)
        represented[speaker.place] = [c.place for c in chain if c is not speaker]
        rows.append((speaker, chain[0].weight))
    least = min((weight for _, weight in rows), default=0.0)
    rows += ((c, min(c.weight, least)) for c in candidates if c.place not in represented)
    return tuple(
        RankedStatement(
            rank=number,
            file=c.place.file,
            line=c.place.line,
            column=c.place.column,
            function=c.place.function,
            text=c.place.text,
            role=c.place.role,
            score=round(1.0 / (1.0 + math.exp(_EVEN_ODDS - weight)), 4),
            evidence=c.evidence,
            reasons=tuple(
                Reason(n.method, n.finding.reason, n.finding.evidence)
                for n in sorted(c.named, key=lambda n: not n.weighing.is_rare)
            ),
            also=(
                *_also(c.place, c.named, places),
                *(a for p in represented.get(c.place, ()) for a in _forwarding(p, by_place[p], places)),
            ),
            extra={key: value for n in c.named for key, value in n.finding.extra.items()},
        )
        for number, (c, weight) in enumerate(rows, 1)
    )


def _candidates(by_place: Mapping[Place, Sequence[_MethodFinding]], marks: Marks) -> list[_Candidate]:
    found = []
    for place, named in by_place.items():
        mark = marks.of(place.file, place.line)
        if mark == "benign" or place.role == Role.END:  # the brace of a function only passes on what a return gave it
            continue
        evidence = min((n.finding.evidence for n in named), key=_ORDER_OF_EVIDENCE.__getitem__)
        found.append(_Candidate(place, named, mark == "guilty", _weight(place, named), evidence))
    return found


def _weight(place: Place, named: Sequence[_MethodFinding]) -> float:
    """The log-odds of one statement: the weights of its findings, and of its role."""
    total = sum(n.weight for n in named)
    for fact in {n.weighing.fact for n in named} - {""}:
        same = [n.weight for n in named if n.weighing.fact == fact]
        if len(same) > 1:
            total -= min(_SHARED_WEIGHT, *same)
    total += _WEIGHT_OF_ROLE.get(Role(place.role), 0.0)
    if _INPUT.search(place.text):
        total += _WEIGHT_OF_READING
    if _PRINT.search(place.text):
        total += _WEIGHT_OF_PRINTING
    return total


def _also(place: Place, named: Sequence[_MethodFinding], places: Places | None) -> tuple[Also, ...]:
    """Where an edit of the statement may belong besides its first line: the macros it uses, its further lines."""
    macros = [
        Also(m.file, m.line, f"the macro used here: {m.text}")
        for m in (places.macros(place) if places is not None else ())
    ]
    lines = sorted({line for n in named for line in n.finding.lines if line != place.line})
    pointed_to = (a for n in named for a in n.finding.also)
    return (*macros, *(Also(place.file, line, "the statement goes on here") for line in lines), *pointed_to)


def _speaker(origin: Place, chain: Sequence[_Candidate]) -> _Candidate:
    """The statement that speaks for a chain: the best one if a changed run confirmed it, else the value's origin."""
    if chain[0].evidence is Evidence.REPLAYED or chain[0].is_guilty:
        return chain[0]
    return next((c for c in chain if c.place == origin), chain[0])


def _forwarding(place: Place, named: Sequence[_MethodFinding], places: Places | None) -> tuple[Also, ...]:
    """A statement that another row speaks for."""
    return (Also(place.file, place.line, f"the same value passes here: {place.text}"), *_also(place, named, places))


def _origin(place: Place, forwarded: Mapping[Place, Place]) -> Place:
    """The statement that computed what a statement passes on; itself when it does not."""
    met = {place}
    while (origin := forwarded.get(place)) is not None and origin not in met:
        met.add(origin)
        place = origin
    return place
