"""Hazards as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingRun


@dataclass(frozen=True)
class HazardsMethod(Method):
    """What is wrong in the failing run besides its failure."""

    name = "hazards"
    on_runs = When.ALWAYS
    runs_program = False
    share = 1.5
    weighing = Weighing(4.0, is_rare=True)
    prominence = 2

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The statements and declarations where something else is wrong."""
        from butfor.methods.hazards.run_hazards import hazards_of_run

        return hazards_of_run(case)
