"""Changes of a run that avoid its failure, as findings and as rows of the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from butfor.counterfactual.change_rules import Op
from butfor.counterfactual.change_syntax import Speech
from butfor.counterfactual.change_words import Words
from butfor.counterfactual.evidence_strength import score_of
from butfor.counterfactual.experiment import Confirmed, Result
from butfor.explanation import Evidence
from butfor.ir.change_sites import Site
from butfor.methods.case import FailingRun
from butfor.ranking.finding import Finding
from butfor.trace.view.source_places import Place

EACH = 6  # changes of one statement that are tried on other inputs
_LEFT = ", but for memory errors that the failing run has too"


@dataclass(slots=True)
class Statement:
    """A statement with the changes at it that avoid the failure."""

    place: Place
    found: list[Confirmed] = field(default_factory=list)


class Teller:
    """Puts confirmed changes into words."""

    def __init__(self, case: FailingRun, sites: tuple[Site, ...], result: Result) -> None:
        self.words = Words(case.places)
        self.speech = Speech(case.recording.program, sites, case.places.shown)
        self.result = result
        whole = case.recording.meta.expect_stdout is not None
        self.then = "the output would have been right" if whole else "the run would not have failed"

    def finding(self, s: Statement, log_odds: float) -> Finding:
        """The statement with its best change."""
        best = s.found[0]
        edit = self.words.edit(best.candidate)
        is_told = best.candidate.rule.op is Op.RELATION  # it is decided by that operator
        what = f"{self.words.had(best.candidate)}{f' ({edit})' if edit and not is_told else ''}"
        text = f"{what}, {self.then}{'' if best.keeps else ', with other output before'}{'' if best.is_clean else _LEFT}{self._tests(best)}"
        extra = {"counterfactual": self._change(best)}
        return Finding(s.place, round(score_of(log_odds), 4), text, Evidence.REPLAYED, extra=extra)

    def _tests(self, c: Confirmed) -> str:
        parts = []
        if self.result.failing:
            parts.append(f"avoids {c.avoids} of {self.result.failing} other failures")
        if self.result.passing:
            parts.append(f"breaks {c.breaks} of {self.result.passing} passing tests")
        return f"; {', '.join(parts)}" if parts else ""

    def _change(self, c: Confirmed) -> dict[str, Any]:
        return {
            "text": self.words.had(c.candidate),
            "edit": self.words.edit(c.candidate),
            "family": c.candidate.family,
            "with": self.speech.write(c.candidate.rule),
            "changed": c.outcome.changed,
            "passes": c.passes,
            "keeps": c.keeps,
            "clean": c.is_clean,
            "direct": c.is_direct,
            "avoids": c.avoids,
            "breaks": c.breaks,
            "inputs": len(c.elsewhere),
            "inputs_altered": sum(effect == 2 for effect in c.elsewhere),
        }

    def plain(self, s: Statement) -> dict[str, Any]:
        """The statement and its changes for the report, best first."""
        changes = [self._change(c) for c in s.found[:EACH]]
        return {
            "file": s.place.file,
            "line": s.place.line,
            "text": s.place.text,
            "count": len(s.found),
            "changes": changes,
        }
