"""Counterfactual re-execution as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import A_CHANGE_HELPS, Diagnosis

if TYPE_CHECKING:
    from butfor.methods.case import FailingRun


@dataclass(frozen=True)
class ButForMethod(Method):
    """Statements at which a change avoids the failure: the program is run again with one thing changed."""

    name = "butfor"
    on_runs = When.ALWAYS
    uses = ("output",)
    weighing = A_CHANGE_HELPS
    prominence = 4

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The changes of a recorded run that avoid its failure."""
        from butfor.methods.but_for.changed_runs import changes_that_help

        return changes_that_help(case, earlier)
