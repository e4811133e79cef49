"""Changes that avoid the failure of a run, as findings and as rows of the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from butfor.counterfactual.change_rules import Op
from butfor.counterfactual.change_syntax import ChangeSyntax
from butfor.counterfactual.change_words import UNSPOKEN_CHANGE, ChangeWords
from butfor.counterfactual.evidence_strength import score_of_log_odds
from butfor.counterfactual.experiment import ConfirmedChange, Effect, SearchResult
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.explanation import Evidence
from butfor.ir.change_sites import SiteTable
from butfor.methods.case import FailingRun
from butfor.ranking.finding import Finding
from butfor.trace.view.source_places import Place

MAX_CHANGES_PER_STATEMENT = 6  # that are tried on other inputs and shown: the others are less natural
_NOT_CHECKED = ", unless it caused a memory error: there was no time to check that"
_MEMORY_ERRORS_REMAIN = ", but for memory errors that the failing run has too"


@dataclass(slots=True)
class ChangedStatement:
    """A statement with the changes at it that avoid the failure."""

    place: Place
    found: list[ConfirmedChange] = field(default_factory=list)


class ChangeReporter:
    """Puts confirmed changes into words."""

    def __init__(self, case: FailingRun, variables: VariablesInScope, sites: SiteTable, result: SearchResult) -> None:
        self.words = ChangeWords(case.places)
        self.syntax = ChangeSyntax(variables, sites, case.places.shown)
        self.result = result
        has_expectation = case.recording.meta.expect_stdout is not None
        self.then = "the output would have been right" if has_expectation else "the run would not have failed"

    def finding(self, s: ChangedStatement, log_odds: float) -> Finding:
        """The statement with its best change."""
        best, is_sensible = self._best(s)
        edit = self.words.edit(best.candidate)
        # An unchecked run may have avoided the failure by causing a memory error: that confirms nothing.
        evidence = Evidence.REPLAYED if best.is_checked else Evidence.HEURISTIC
        if not is_sensible:
            extra = {"counterfactual": self._change(best)}
            score = round(score_of_log_odds(log_odds), 4)
            return Finding(s.place, score, UNSPOKEN_CHANGE, evidence, extra=extra)
        names_edit = best.candidate.rule.op is Op.RELATION or "instead of" in self.words.clause(best.candidate)
        what = f"{self.words.clause(best.candidate)}{f' ({edit})' if edit and not names_edit else ''}"
        output = "" if best.keeps else ", with other output before"
        memory = _NOT_CHECKED if not best.is_checked else "" if best.is_clean else _MEMORY_ERRORS_REMAIN
        text = f"{what}, {self._then(best)}{output}{memory}{self._tests(best)}"
        extra = {"counterfactual": self._change(best)}
        return Finding(s.place, round(score_of_log_odds(log_odds), 4), text, evidence, extra=extra)

    def _then(self, c: ConfirmedChange) -> str:
        """What would have been with a change."""
        if not c.is_past:
            return self.then
        return f"the run would have ended with exit status {c.outcome.exit_status} instead"

    def _best(self, s: ChangedStatement) -> tuple[ConfirmedChange, bool]:
        """The change that speaks for a statement, and whether somebody could have meant it."""
        sensible = (c for c in s.found if self.words.is_sensible(c.candidate) or self._is_right_in_tests(c))
        found = next(sensible, None)
        return (s.found[0], False) if found is None else (found, True)

    def _is_right_in_tests(self, c: ConfirmedChange) -> bool:
        """Whether a change avoids all other failures too: then it may well be what was meant."""
        return 0 < self.result.failing == c.avoids

    def _tests(self, c: ConfirmedChange) -> str:
        parts = []
        if self.result.failing:
            parts.append(f"avoids {c.avoids} of {self.result.failing} other failures")
        if self.result.passing:
            parts.append(f"breaks {c.breaks} of {self.result.passing} passing tests")
        return f"; {', '.join(parts)}" if parts else ""

    def _change(self, c: ConfirmedChange) -> dict[str, Any]:
        return {
            "text": self.words.clause(c.candidate),
            "edit": self.words.edit(c.candidate),
            "family": c.candidate.family,
            "with": self.syntax.format(c.candidate.rule),
            "changed": c.outcome.changed,
            "passes": c.passes,
            "keeps": c.keeps,
            "past": c.is_past,
            "clean": c.is_clean,
            "checked": c.is_checked,
            "direct": c.is_direct,
            "avoids": c.avoids,
            "breaks": c.breaks,
            "inputs": len(c.other_effects),
            "inputs_altered": sum(effect is Effect.OUTPUT for effect in c.other_effects),
        }

    def plain(self, s: ChangedStatement) -> dict[str, Any]:
        """The statement and its changes for the report, best first."""
        shown = s.found[:MAX_CHANGES_PER_STATEMENT]
        best, _ = self._best(s)
        if best not in shown:  # the row of the statement names it
            shown[-1] = best
        changes = [self._change(c) for c in shown]
        return {
            "file": s.place.file,
            "line": s.place.line,
            "text": s.place.text,
            "count": len(s.found),
            "changes": changes,
        }
