"""Proofs of checks as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.methods.method import Earlier, Method
from butfor.ranking.finding import Diagnosis

if TYPE_CHECKING:
    from butfor.methods.case import FailingPath, FailingRun


@dataclass(frozen=True)
class ProofsMethod(Method):
    """Which checks of the program hold in every run, by static analysis; it names no statement."""

    name = "proofs"

    def explain_run(self, case: FailingRun, earlier: Earlier) -> Diagnosis:
        """The checks of the program with the verdict of the analysis on each."""
        from butfor.methods.proofs.proved_checks import checks_for_all_runs

        return checks_for_all_runs(case)

    def explain_path(self, case: FailingPath, earlier: Earlier) -> Diagnosis:
        """The same for a program that is searched."""
        from butfor.methods.proofs.searched_checks import checks_for_all_executions

        return checks_for_all_executions(case)
