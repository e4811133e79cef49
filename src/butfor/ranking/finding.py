"""The answer of a method: findings on statements, and how much they weigh in the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from butfor.explanation import Also, Evidence
from butfor.trace.view.source_places import Place

_WEIGHT_OF_EVIDENCE = {Evidence.REPLAYED: 6.0, Evidence.PROVED: 2.0, Evidence.HEURISTIC: 1.0}


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement that a method names, with a score from 0 to 1 and the reason in words."""

    place: Place
    score: float
    reason: str
    evidence: Evidence = Evidence.HEURISTIC
    lines: tuple[int, ...] = ()  # further lines of the same statement that took part
    extra: Mapping[str, Any] = field(default_factory=dict)  # for the row of the report
    also: tuple[Also, ...] = ()  # other places where the edit may belong


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much the findings of a method weigh, in log-odds for a score of 1. None: by their evidence."""

    weight: float | None = None
    fact: str = ""  # methods with the same fact say the same thing about a statement in two ways
    is_rare: bool = False  # it names few statements, so its reasons come first

    def weight_of(self, finding: Finding) -> float:
        """The log-odds of a score of 1."""
        return _WEIGHT_OF_EVIDENCE[finding.evidence] if self.weight is None else self.weight


A_CHANGE_HELPS = Weighing(10.0, fact="a change here helps")  # the scale of counterfactual/evidence_strength.py


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer of one method: findings best first, and its own part of the JSON report."""

    findings: tuple[Finding, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = True
    notes: tuple[str, ...] = ()  # sentences for the report


@dataclass(frozen=True, slots=True)
class WeighedDiagnosis:
    """The answer of one method with its name and how much it weighs."""

    method: str
    weighing: Weighing
    diagnosis: Diagnosis

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, best first."""
        return self.diagnosis.findings
