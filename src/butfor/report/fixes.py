"""What would have avoided the failure, whichever method found it: repairs and tried changes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from butfor.explanation import Explanation, FailureKind

_OUTPUT_METHOD = "output"  # it says what a print statement should have written
CHANGE_PLACEHOLDER = "CHANGE"  # stands for the change in `extra["again"]`, the command that shows a changed run
_MAY_SILENCE = "; no passing tests were given, so it may only silence the failure"
_MAY_FIT_ONE_RUN = "; no passing tests were given, so it may be right for this input alone"


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: where, what it replaces, as a diff; how many failing tests it mends, how many passing ones it keeps."""

    file: str
    line: int
    before: str
    after: str
    diff: str
    failing_fixed: int
    failing_total: int
    passing_kept: int
    passing_total: int
    gives_output: bool  # what the failing runs should have written is known

    @property
    def is_validated(self) -> bool:
        """Whether it mends every failing test and breaks none."""
        return self.failing_fixed == self.failing_total > 0 and self.passing_kept == self.passing_total

    @property
    def title(self) -> str:
        """What it may be called; without passing tests, nothing validates it."""
        return "A fix that was validated" if self.passing_total else "A fix that was tried"

    @property
    def tests(self) -> str:
        """What the tests say about it."""
        kept = (
            f"; {self.passing_kept} of {self.passing_total} passing tests still pass"
            if self.passing_total
            else _MAY_FIT_ONE_RUN
            if self.gives_output
            else _MAY_SILENCE
        )
        if self.failing_fixed == self.failing_total == 1 and not self.passing_total:
            return f"the failing run {'writes what is expected' if self.gives_output else 'no longer fails'}{kept}"
        then = "write what is expected" if self.gives_output else "no longer fail"
        return f"{self.failing_fixed} of {self.failing_total} failing runs {then}{kept}"


def fixes(explanation: Explanation) -> tuple[Fix, ...]:
    """The repairs that the explanation holds, in their order, but for those that only keep the check from running."""
    found = explanation.methods.get("repair", {})
    rows = found.get("repairs", ()) if isinstance(found, Mapping) else ()
    gives_output = explanation.failure is not None and explanation.failure.kind is FailureKind.OUTPUT
    return tuple(_fix(row, gives_output) for row in rows if isinstance(row, Mapping) and not row.get("silences"))


def _fix(row: Mapping[str, Any], gives_output: bool) -> Fix:
    before, after = str(row.get("before", "")), str(row.get("after", ""))
    file, line = str(row.get("file", "")), int(row.get("line", 0))
    diff = str(row.get("diff", "")) or "\n".join(
        [
            f"--- a/{file}",
            f"+++ b/{file}",
            f"@@ -{line} +{line} @@",
            *list(unified_diff([before], [after], lineterm=""))[3:],
        ]
    )
    fixed, failing, kept, passing = (
        int(row.get(key, 0)) for key in ("failing_fixed", "failing_total", "passing_kept", "passing_total")
    )
    return Fix(file, line, before, after, diff, fixed, failing, kept, passing, gives_output)


@dataclass(frozen=True, slots=True)
class Avoidance:
    """What would have avoided the failure, in words; how that is known; the command that shows the changed run."""

    file: str
    line: int
    text: str
    command: str
    evidence: str = "replayed"


def best_avoidance(explanation: Explanation) -> Avoidance | None:
    """What avoids the failure at the best-ranked statement for which that is known, if there is one."""
    for row in explanation.ranking:
        if row.extra.get("counterfactual") is not None:
            return best_changed_run(explanation)
        said = next((r for r in row.reasons if r.method == _OUTPUT_METHOD), None)
        if said is not None:
            return Avoidance(row.file, row.line, said.text, "", str(said.evidence))
    return None


def best_changed_run(explanation: Explanation) -> Avoidance | None:
    """The best changed run, if the program was run again."""
    for row in explanation.ranking:
        change = row.extra.get("counterfactual")
        if isinstance(change, Mapping):
            said = next((r.text for r in row.reasons if r.method == "butfor"), str(change.get("text", "")))
            again = explanation.extra.get("again")
            spelled = str(change.get("with", ""))
            command = (
                again.replace(CHANGE_PLACEHOLDER, shlex.quote(spelled), 1) if isinstance(again, str) and spelled else ""
            )
            return Avoidance(row.file, row.line, said, command)
    return None
