"""Wrong prints as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingRun


@dataclass(frozen=True)
class WrongOutputMethod(Method):
    """Print statements that would only have to write something else for the output to be right."""

    name = "output"
    on_runs = When.ALWAYS
    runs_program = False
    share = 0.5
    weighing = Weighing(5.0, is_rare=True)
    prominence = 3

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The print statements around the first wrong byte."""
        from butfor.methods.wrong_output.print_statements import wrong_prints

        return wrong_prints(case)
