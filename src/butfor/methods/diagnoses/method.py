"""Minimal diagnoses as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class DiagnosesMethod(Method):
    """The smallest sets of statements whose change can avoid the failures of all failing tests at once."""

    name = "diagnoses"
    on_paths = When.ALWAYS

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The smallest sets for this run and the other failing tests."""
        from butfor.methods.diagnoses.minimal_diagnoses import diagnoses_of_runs

        return diagnoses_of_runs(case)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The smallest sets for one path, with inputs as found."""
        from butfor.methods.diagnoses.minimal_diagnoses import diagnoses_of_path

        return diagnoses_of_path(case)
