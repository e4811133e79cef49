"""Minimal diagnoses as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class DiagnosesMethod(Method):
    """The smallest sets of statements whose change can avoid the failures of all failing tests at once."""

    name = "diagnoses"
    on_paths = When.ALWAYS
    weighing = Weighing(2.0)  # what a run confirms, the search for changes that help says with more weight

    traces: int = 0  # that are looked at; 0: all failing tests of a run, the shortest path of a search

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The smallest sets for this run and the other failing tests."""
        from butfor.methods.diagnoses.minimal_diagnoses import diagnoses_of_runs

        return diagnoses_of_runs(case.with_traces(self.traces))

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The smallest sets for one path or several, with inputs as found."""
        from butfor.methods.diagnoses.minimal_diagnoses import diagnoses_of_path

        return diagnoses_of_path(case.with_traces(self.traces or 1))
