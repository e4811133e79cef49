"""Relevance and the security verdict as methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method, When
from butfor.options import Inputs
from butfor.ranking.finding import Diagnosis, Weighing

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class RelevanceMethod(Method):
    """Which statements could have avoided the failure by another value, and whether inputs control it."""

    name = "relevance"
    on_paths = When.ALWAYS
    weighing = Weighing(2.0)  # what a run confirms, the search for changes that help says with more weight

    inputs: Inputs | None = None  # None: any
    traces: int = 0  # that are looked at; 0: all failing tests of a run, the shortest path of a search

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The verdicts on the statements of a recorded run, and the security verdict."""
        from butfor.methods.relevance.run_relevance import relevance_in_run

        return relevance_in_run(case.with_traces(self.traces), is_pinned=self.inputs == "pinned")

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The verdicts on the statements of a failing path, and the security verdict."""
        from butfor.methods.relevance.path_relevance import relevance_on_path

        return relevance_on_path(case.with_traces(self.traces or 1), is_pinned=self.inputs == "pinned")


@dataclass(frozen=True)
class SecurityMethod(Method):
    """The security verdict alone, within a small share of the time: a line of the default answer."""

    name = "security"
    part_of = "relevance"
    share = 0.5
    on_runs = When.ALWAYS

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """Whether inputs control the failure; nothing where that is not known."""
        from butfor.methods.relevance.run_relevance import security_in_run

        return security_in_run(case)
